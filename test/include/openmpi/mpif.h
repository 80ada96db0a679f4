! Open MPI's mpif.h without mpif-sizeof.h, which flang does not accept.
!
! Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
      include 'mpif-config.h'
      include 'mpif-constants.h'
      include 'mpif-handles.h'
      include 'mpif-io-constants.h'
      include 'mpif-io-handles.h'
      include 'mpif-externals.h'
      include 'mpif-sentinels.h'
