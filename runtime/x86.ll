; x86.ll - vector intrinsics of x86, spelt in plain IR
;
; Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; As expansions.c. The functions over 256 bits are for targets with AVX: without it
; their operands would be passed in other registers.

define <4 x float> @rg_expand_x86_sse3_hadd_ps(<4 x float> %a, <4 x float> %b) {
  %even = shufflevector <4 x float> %a, <4 x float> %b, <4 x i32> <i32 0, i32 2, i32 4, i32 6>
  %odd = shufflevector <4 x float> %a, <4 x float> %b, <4 x i32> <i32 1, i32 3, i32 5, i32 7>
  %r = fadd <4 x float> %even, %odd
  ret <4 x float> %r
}

define <4 x float> @rg_expand_x86_sse3_hsub_ps(<4 x float> %a, <4 x float> %b) {
  %even = shufflevector <4 x float> %a, <4 x float> %b, <4 x i32> <i32 0, i32 2, i32 4, i32 6>
  %odd = shufflevector <4 x float> %a, <4 x float> %b, <4 x i32> <i32 1, i32 3, i32 5, i32 7>
  %r = fsub <4 x float> %even, %odd
  ret <4 x float> %r
}

define <4 x float> @rg_expand_x86_sse3_addsub_ps(<4 x float> %a, <4 x float> %b) {
  %sub = fsub <4 x float> %a, %b
  %add = fadd <4 x float> %a, %b
  %r = shufflevector <4 x float> %sub, <4 x float> %add, <4 x i32> <i32 0, i32 5, i32 2, i32 7>
  ret <4 x float> %r
}

define <2 x double> @rg_expand_x86_sse3_hadd_pd(<2 x double> %a, <2 x double> %b) {
  %even = shufflevector <2 x double> %a, <2 x double> %b, <2 x i32> <i32 0, i32 2>
  %odd = shufflevector <2 x double> %a, <2 x double> %b, <2 x i32> <i32 1, i32 3>
  %r = fadd <2 x double> %even, %odd
  ret <2 x double> %r
}

define <2 x double> @rg_expand_x86_sse3_hsub_pd(<2 x double> %a, <2 x double> %b) {
  %even = shufflevector <2 x double> %a, <2 x double> %b, <2 x i32> <i32 0, i32 2>
  %odd = shufflevector <2 x double> %a, <2 x double> %b, <2 x i32> <i32 1, i32 3>
  %r = fsub <2 x double> %even, %odd
  ret <2 x double> %r
}

define <2 x double> @rg_expand_x86_sse3_addsub_pd(<2 x double> %a, <2 x double> %b) {
  %sub = fsub <2 x double> %a, %b
  %add = fadd <2 x double> %a, %b
  %r = shufflevector <2 x double> %sub, <2 x double> %add, <2 x i32> <i32 0, i32 3>
  ret <2 x double> %r
}

define <8 x float> @rg_expand_x86_avx_hadd_ps_256(<8 x float> %a, <8 x float> %b) #0 {
  %even = shufflevector <8 x float> %a, <8 x float> %b, <8 x i32> <i32 0, i32 2, i32 8, i32 10, i32 4, i32 6, i32 12, i32 14>
  %odd = shufflevector <8 x float> %a, <8 x float> %b, <8 x i32> <i32 1, i32 3, i32 9, i32 11, i32 5, i32 7, i32 13, i32 15>
  %r = fadd <8 x float> %even, %odd
  ret <8 x float> %r
}

define <8 x float> @rg_expand_x86_avx_hsub_ps_256(<8 x float> %a, <8 x float> %b) #0 {
  %even = shufflevector <8 x float> %a, <8 x float> %b, <8 x i32> <i32 0, i32 2, i32 8, i32 10, i32 4, i32 6, i32 12, i32 14>
  %odd = shufflevector <8 x float> %a, <8 x float> %b, <8 x i32> <i32 1, i32 3, i32 9, i32 11, i32 5, i32 7, i32 13, i32 15>
  %r = fsub <8 x float> %even, %odd
  ret <8 x float> %r
}

define <8 x float> @rg_expand_x86_avx_addsub_ps_256(<8 x float> %a, <8 x float> %b) #0 {
  %sub = fsub <8 x float> %a, %b
  %add = fadd <8 x float> %a, %b
  %r = shufflevector <8 x float> %sub, <8 x float> %add, <8 x i32> <i32 0, i32 9, i32 2, i32 11, i32 4, i32 13, i32 6, i32 15>
  ret <8 x float> %r
}

define <4 x double> @rg_expand_x86_avx_hadd_pd_256(<4 x double> %a, <4 x double> %b) #0 {
  %even = shufflevector <4 x double> %a, <4 x double> %b, <4 x i32> <i32 0, i32 4, i32 2, i32 6>
  %odd = shufflevector <4 x double> %a, <4 x double> %b, <4 x i32> <i32 1, i32 5, i32 3, i32 7>
  %r = fadd <4 x double> %even, %odd
  ret <4 x double> %r
}

define <4 x double> @rg_expand_x86_avx_hsub_pd_256(<4 x double> %a, <4 x double> %b) #0 {
  %even = shufflevector <4 x double> %a, <4 x double> %b, <4 x i32> <i32 0, i32 4, i32 2, i32 6>
  %odd = shufflevector <4 x double> %a, <4 x double> %b, <4 x i32> <i32 1, i32 5, i32 3, i32 7>
  %r = fsub <4 x double> %even, %odd
  ret <4 x double> %r
}

define <4 x double> @rg_expand_x86_avx_addsub_pd_256(<4 x double> %a, <4 x double> %b) #0 {
  %sub = fsub <4 x double> %a, %b
  %add = fadd <4 x double> %a, %b
  %r = shufflevector <4 x double> %sub, <4 x double> %add, <4 x i32> <i32 0, i32 5, i32 2, i32 7>
  ret <4 x double> %r
}

define <4 x float> @rg_expand_x86_sse_min_ss(<4 x float> %a, <4 x float> %b) {
  %x = extractelement <4 x float> %a, i32 0
  %y = extractelement <4 x float> %b, i32 0
  %first = fcmp olt float %x, %y
  %z = select i1 %first, float %x, float %y
  %r = insertelement <4 x float> %a, float %z, i32 0
  ret <4 x float> %r
}

define <4 x float> @rg_expand_x86_sse_max_ss(<4 x float> %a, <4 x float> %b) {
  %x = extractelement <4 x float> %a, i32 0
  %y = extractelement <4 x float> %b, i32 0
  %first = fcmp ogt float %x, %y
  %z = select i1 %first, float %x, float %y
  %r = insertelement <4 x float> %a, float %z, i32 0
  ret <4 x float> %r
}

define <2 x double> @rg_expand_x86_sse2_min_sd(<2 x double> %a, <2 x double> %b) {
  %x = extractelement <2 x double> %a, i32 0
  %y = extractelement <2 x double> %b, i32 0
  %first = fcmp olt double %x, %y
  %z = select i1 %first, double %x, double %y
  %r = insertelement <2 x double> %a, double %z, i32 0
  ret <2 x double> %r
}

define <2 x double> @rg_expand_x86_sse2_max_sd(<2 x double> %a, <2 x double> %b) {
  %x = extractelement <2 x double> %a, i32 0
  %y = extractelement <2 x double> %b, i32 0
  %first = fcmp ogt double %x, %y
  %z = select i1 %first, double %x, double %y
  %r = insertelement <2 x double> %a, double %z, i32 0
  ret <2 x double> %r
}

define <4 x float> @rg_expand_x86_sse_rcp_ss(<4 x float> %a) {
  %all = call <4 x float> @llvm.x86.sse.rcp.ps(<4 x float> %a)
  %x = extractelement <4 x float> %all, i32 0
  %r = insertelement <4 x float> %a, float %x, i32 0
  ret <4 x float> %r
}

define <4 x float> @rg_expand_x86_sse_rsqrt_ss(<4 x float> %a) {
  %all = call <4 x float> @llvm.x86.sse.rsqrt.ps(<4 x float> %a)
  %x = extractelement <4 x float> %all, i32 0
  %r = insertelement <4 x float> %a, float %x, i32 0
  ret <4 x float> %r
}

define <4 x float> @rg_expand_x86_sse41_blendvps(<4 x float> %a, <4 x float> %b, <4 x float> %mask) {
  %bits = bitcast <4 x float> %mask to <4 x i32>
  %second = icmp slt <4 x i32> %bits, zeroinitializer
  %r = select <4 x i1> %second, <4 x float> %b, <4 x float> %a
  ret <4 x float> %r
}

define <2 x double> @rg_expand_x86_sse41_blendvpd(<2 x double> %a, <2 x double> %b, <2 x double> %mask) {
  %bits = bitcast <2 x double> %mask to <2 x i64>
  %second = icmp slt <2 x i64> %bits, zeroinitializer
  %r = select <2 x i1> %second, <2 x double> %b, <2 x double> %a
  ret <2 x double> %r
}

define <8 x float> @rg_expand_x86_avx_blendv_ps_256(<8 x float> %a, <8 x float> %b, <8 x float> %mask) #0 {
  %bits = bitcast <8 x float> %mask to <8 x i32>
  %second = icmp slt <8 x i32> %bits, zeroinitializer
  %r = select <8 x i1> %second, <8 x float> %b, <8 x float> %a
  ret <8 x float> %r
}

define <4 x double> @rg_expand_x86_avx_blendv_pd_256(<4 x double> %a, <4 x double> %b, <4 x double> %mask) #0 {
  %bits = bitcast <4 x double> %mask to <4 x i64>
  %second = icmp slt <4 x i64> %bits, zeroinitializer
  %r = select <4 x i1> %second, <4 x double> %b, <4 x double> %a
  ret <4 x double> %r
}

define <8 x float> @rg_expand_x86_fma_vfmaddsub_ps_256(<8 x float> %a, <8 x float> %b, <8 x float> %c) #1 {
  %minus = fneg <8 x float> %c
  %sub = call <8 x float> @llvm.fma.v8f32(<8 x float> %a, <8 x float> %b, <8 x float> %minus)
  %add = call <8 x float> @llvm.fma.v8f32(<8 x float> %a, <8 x float> %b, <8 x float> %c)
  %r = shufflevector <8 x float> %sub, <8 x float> %add, <8 x i32> <i32 0, i32 9, i32 2, i32 11, i32 4, i32 13, i32 6, i32 15>
  ret <8 x float> %r
}

define <4 x double> @rg_expand_x86_fma_vfmaddsub_pd_256(<4 x double> %a, <4 x double> %b, <4 x double> %c) #1 {
  %minus = fneg <4 x double> %c
  %sub = call <4 x double> @llvm.fma.v4f64(<4 x double> %a, <4 x double> %b, <4 x double> %minus)
  %add = call <4 x double> @llvm.fma.v4f64(<4 x double> %a, <4 x double> %b, <4 x double> %c)
  %r = shufflevector <4 x double> %sub, <4 x double> %add, <4 x i32> <i32 0, i32 5, i32 2, i32 7>
  ret <4 x double> %r
}

define <2 x double> @rg_expand_x86_sse41_dppd(<2 x double> %a, <2 x double> %b, i8 %choice) {
  %p = fmul <2 x double> %a, %b
  %b0 = and i8 %choice, 16
  %u0 = icmp ne i8 %b0, 0
  %e0 = extractelement <2 x double> %p, i32 0
  %t0 = select i1 %u0, double %e0, double 0.0
  %b1 = and i8 %choice, 32
  %u1 = icmp ne i8 %b1, 0
  %e1 = extractelement <2 x double> %p, i32 1
  %t1 = select i1 %u1, double %e1, double 0.0
  %s0_0_0 = fadd double %t0, %t1
  %d0 = and i8 %choice, 1
  %w0 = icmp ne i8 %d0, 0
  %o0 = select i1 %w0, double %s0_0_0, double 0.0
  %r0 = insertelement <2 x double> poison, double %o0, i32 0
  %d1 = and i8 %choice, 2
  %w1 = icmp ne i8 %d1, 0
  %o1 = select i1 %w1, double %s0_0_0, double 0.0
  %r1 = insertelement <2 x double> %r0, double %o1, i32 1
  ret <2 x double> %r1
}

define <4 x float> @rg_expand_x86_sse41_dpps(<4 x float> %a, <4 x float> %b, i8 %choice) {
  %p = fmul <4 x float> %a, %b
  %b0 = and i8 %choice, 16
  %u0 = icmp ne i8 %b0, 0
  %e0 = extractelement <4 x float> %p, i32 0
  %t0 = select i1 %u0, float %e0, float 0.0
  %b1 = and i8 %choice, 32
  %u1 = icmp ne i8 %b1, 0
  %e1 = extractelement <4 x float> %p, i32 1
  %t1 = select i1 %u1, float %e1, float 0.0
  %b2 = and i8 %choice, 64
  %u2 = icmp ne i8 %b2, 0
  %e2 = extractelement <4 x float> %p, i32 2
  %t2 = select i1 %u2, float %e2, float 0.0
  %b3 = and i8 %choice, -128
  %u3 = icmp ne i8 %b3, 0
  %e3 = extractelement <4 x float> %p, i32 3
  %t3 = select i1 %u3, float %e3, float 0.0
  %s0_0_0 = fadd float %t0, %t1
  %s0_0_2 = fadd float %t2, %t3
  %s0_1_0 = fadd float %s0_0_0, %s0_0_2
  %d0 = and i8 %choice, 1
  %w0 = icmp ne i8 %d0, 0
  %o0 = select i1 %w0, float %s0_1_0, float 0.0
  %r0 = insertelement <4 x float> poison, float %o0, i32 0
  %d1 = and i8 %choice, 2
  %w1 = icmp ne i8 %d1, 0
  %o1 = select i1 %w1, float %s0_1_0, float 0.0
  %r1 = insertelement <4 x float> %r0, float %o1, i32 1
  %d2 = and i8 %choice, 4
  %w2 = icmp ne i8 %d2, 0
  %o2 = select i1 %w2, float %s0_1_0, float 0.0
  %r2 = insertelement <4 x float> %r1, float %o2, i32 2
  %d3 = and i8 %choice, 8
  %w3 = icmp ne i8 %d3, 0
  %o3 = select i1 %w3, float %s0_1_0, float 0.0
  %r3 = insertelement <4 x float> %r2, float %o3, i32 3
  ret <4 x float> %r3
}

define <8 x float> @rg_expand_x86_avx_dp_ps_256(<8 x float> %a, <8 x float> %b, i8 %choice) #0 {
  %p = fmul <8 x float> %a, %b
  %b0 = and i8 %choice, 16
  %u0 = icmp ne i8 %b0, 0
  %e0 = extractelement <8 x float> %p, i32 0
  %t0 = select i1 %u0, float %e0, float 0.0
  %b1 = and i8 %choice, 32
  %u1 = icmp ne i8 %b1, 0
  %e1 = extractelement <8 x float> %p, i32 1
  %t1 = select i1 %u1, float %e1, float 0.0
  %b2 = and i8 %choice, 64
  %u2 = icmp ne i8 %b2, 0
  %e2 = extractelement <8 x float> %p, i32 2
  %t2 = select i1 %u2, float %e2, float 0.0
  %b3 = and i8 %choice, -128
  %u3 = icmp ne i8 %b3, 0
  %e3 = extractelement <8 x float> %p, i32 3
  %t3 = select i1 %u3, float %e3, float 0.0
  %s0_0_0 = fadd float %t0, %t1
  %s0_0_2 = fadd float %t2, %t3
  %s0_1_0 = fadd float %s0_0_0, %s0_0_2
  %d0 = and i8 %choice, 1
  %w0 = icmp ne i8 %d0, 0
  %o0 = select i1 %w0, float %s0_1_0, float 0.0
  %r0 = insertelement <8 x float> poison, float %o0, i32 0
  %d1 = and i8 %choice, 2
  %w1 = icmp ne i8 %d1, 0
  %o1 = select i1 %w1, float %s0_1_0, float 0.0
  %r1 = insertelement <8 x float> %r0, float %o1, i32 1
  %d2 = and i8 %choice, 4
  %w2 = icmp ne i8 %d2, 0
  %o2 = select i1 %w2, float %s0_1_0, float 0.0
  %r2 = insertelement <8 x float> %r1, float %o2, i32 2
  %d3 = and i8 %choice, 8
  %w3 = icmp ne i8 %d3, 0
  %o3 = select i1 %w3, float %s0_1_0, float 0.0
  %r3 = insertelement <8 x float> %r2, float %o3, i32 3
  %b4 = and i8 %choice, 16
  %u4 = icmp ne i8 %b4, 0
  %e4 = extractelement <8 x float> %p, i32 4
  %t4 = select i1 %u4, float %e4, float 0.0
  %b5 = and i8 %choice, 32
  %u5 = icmp ne i8 %b5, 0
  %e5 = extractelement <8 x float> %p, i32 5
  %t5 = select i1 %u5, float %e5, float 0.0
  %b6 = and i8 %choice, 64
  %u6 = icmp ne i8 %b6, 0
  %e6 = extractelement <8 x float> %p, i32 6
  %t6 = select i1 %u6, float %e6, float 0.0
  %b7 = and i8 %choice, -128
  %u7 = icmp ne i8 %b7, 0
  %e7 = extractelement <8 x float> %p, i32 7
  %t7 = select i1 %u7, float %e7, float 0.0
  %s1_0_0 = fadd float %t4, %t5
  %s1_0_2 = fadd float %t6, %t7
  %s1_1_0 = fadd float %s1_0_0, %s1_0_2
  %d4 = and i8 %choice, 1
  %w4 = icmp ne i8 %d4, 0
  %o4 = select i1 %w4, float %s1_1_0, float 0.0
  %r4 = insertelement <8 x float> %r3, float %o4, i32 4
  %d5 = and i8 %choice, 2
  %w5 = icmp ne i8 %d5, 0
  %o5 = select i1 %w5, float %s1_1_0, float 0.0
  %r5 = insertelement <8 x float> %r4, float %o5, i32 5
  %d6 = and i8 %choice, 4
  %w6 = icmp ne i8 %d6, 0
  %o6 = select i1 %w6, float %s1_1_0, float 0.0
  %r6 = insertelement <8 x float> %r5, float %o6, i32 6
  %d7 = and i8 %choice, 8
  %w7 = icmp ne i8 %d7, 0
  %o7 = select i1 %w7, float %s1_1_0, float 0.0
  %r7 = insertelement <8 x float> %r6, float %o7, i32 7
  ret <8 x float> %r7
}

define <4 x float> @rg_expand_x86_sse2_cvtpd2ps(<2 x double> %a) {
  %n = fptrunc <2 x double> %a to <2 x float>
  %r = shufflevector <2 x float> %n, <2 x float> zeroinitializer, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  ret <4 x float> %r
}

define <4 x float> @rg_expand_x86_avx_cvt_pd2_ps_256(<4 x double> %a) #0 {
  %r = fptrunc <4 x double> %a to <4 x float>
  ret <4 x float> %r
}

define <4 x float> @rg_expand_x86_sse2_cvtsd2ss(<4 x float> %a, <2 x double> %b) {
  %x = extractelement <2 x double> %b, i32 0
  %n = fptrunc double %x to float
  %r = insertelement <4 x float> %a, float %n, i32 0
  ret <4 x float> %r
}

define <4 x float> @rg_expand_x86_avx_maskload_ps(ptr %p, <4 x i32> %mask) #0 {
  br label %test0
test0:
  %m0 = extractelement <4 x i32> %mask, i32 0
  %c0 = icmp slt i32 %m0, 0
  br i1 %c0, label %load0, label %test1
load0:
  %p0 = getelementptr float, ptr %p, i64 0
  %e0 = load float, ptr %p0, align 4
  %n0 = insertelement <4 x float> zeroinitializer, float %e0, i32 0
  br label %test1
test1:
  %v1 = phi <4 x float> [ zeroinitializer, %test0 ], [ %n0, %load0 ]
  %m1 = extractelement <4 x i32> %mask, i32 1
  %c1 = icmp slt i32 %m1, 0
  br i1 %c1, label %load1, label %test2
load1:
  %p1 = getelementptr float, ptr %p, i64 1
  %e1 = load float, ptr %p1, align 4
  %n1 = insertelement <4 x float> %v1, float %e1, i32 1
  br label %test2
test2:
  %v2 = phi <4 x float> [ %v1, %test1 ], [ %n1, %load1 ]
  %m2 = extractelement <4 x i32> %mask, i32 2
  %c2 = icmp slt i32 %m2, 0
  br i1 %c2, label %load2, label %test3
load2:
  %p2 = getelementptr float, ptr %p, i64 2
  %e2 = load float, ptr %p2, align 4
  %n2 = insertelement <4 x float> %v2, float %e2, i32 2
  br label %test3
test3:
  %v3 = phi <4 x float> [ %v2, %test2 ], [ %n2, %load2 ]
  %m3 = extractelement <4 x i32> %mask, i32 3
  %c3 = icmp slt i32 %m3, 0
  br i1 %c3, label %load3, label %done
load3:
  %p3 = getelementptr float, ptr %p, i64 3
  %e3 = load float, ptr %p3, align 4
  %n3 = insertelement <4 x float> %v3, float %e3, i32 3
  br label %done
done:
  %r = phi <4 x float> [ %v3, %test3 ], [ %n3, %load3 ]
  ret <4 x float> %r
}

define void @rg_expand_x86_avx_maskstore_ps(ptr %p, <4 x i32> %mask, <4 x float> %v) #0 {
  br label %test0
test0:
  %m0 = extractelement <4 x i32> %mask, i32 0
  %c0 = icmp slt i32 %m0, 0
  br i1 %c0, label %store0, label %test1
store0:
  %p0 = getelementptr float, ptr %p, i64 0
  %e0 = extractelement <4 x float> %v, i32 0
  store float %e0, ptr %p0, align 4
  br label %test1
test1:
  %m1 = extractelement <4 x i32> %mask, i32 1
  %c1 = icmp slt i32 %m1, 0
  br i1 %c1, label %store1, label %test2
store1:
  %p1 = getelementptr float, ptr %p, i64 1
  %e1 = extractelement <4 x float> %v, i32 1
  store float %e1, ptr %p1, align 4
  br label %test2
test2:
  %m2 = extractelement <4 x i32> %mask, i32 2
  %c2 = icmp slt i32 %m2, 0
  br i1 %c2, label %store2, label %test3
store2:
  %p2 = getelementptr float, ptr %p, i64 2
  %e2 = extractelement <4 x float> %v, i32 2
  store float %e2, ptr %p2, align 4
  br label %test3
test3:
  %m3 = extractelement <4 x i32> %mask, i32 3
  %c3 = icmp slt i32 %m3, 0
  br i1 %c3, label %store3, label %done
store3:
  %p3 = getelementptr float, ptr %p, i64 3
  %e3 = extractelement <4 x float> %v, i32 3
  store float %e3, ptr %p3, align 4
  br label %done
done:
  ret void
}

define <2 x double> @rg_expand_x86_avx_maskload_pd(ptr %p, <2 x i64> %mask) #0 {
  br label %test0
test0:
  %m0 = extractelement <2 x i64> %mask, i32 0
  %c0 = icmp slt i64 %m0, 0
  br i1 %c0, label %load0, label %test1
load0:
  %p0 = getelementptr double, ptr %p, i64 0
  %e0 = load double, ptr %p0, align 8
  %n0 = insertelement <2 x double> zeroinitializer, double %e0, i32 0
  br label %test1
test1:
  %v1 = phi <2 x double> [ zeroinitializer, %test0 ], [ %n0, %load0 ]
  %m1 = extractelement <2 x i64> %mask, i32 1
  %c1 = icmp slt i64 %m1, 0
  br i1 %c1, label %load1, label %done
load1:
  %p1 = getelementptr double, ptr %p, i64 1
  %e1 = load double, ptr %p1, align 8
  %n1 = insertelement <2 x double> %v1, double %e1, i32 1
  br label %done
done:
  %r = phi <2 x double> [ %v1, %test1 ], [ %n1, %load1 ]
  ret <2 x double> %r
}

define void @rg_expand_x86_avx_maskstore_pd(ptr %p, <2 x i64> %mask, <2 x double> %v) #0 {
  br label %test0
test0:
  %m0 = extractelement <2 x i64> %mask, i32 0
  %c0 = icmp slt i64 %m0, 0
  br i1 %c0, label %store0, label %test1
store0:
  %p0 = getelementptr double, ptr %p, i64 0
  %e0 = extractelement <2 x double> %v, i32 0
  store double %e0, ptr %p0, align 8
  br label %test1
test1:
  %m1 = extractelement <2 x i64> %mask, i32 1
  %c1 = icmp slt i64 %m1, 0
  br i1 %c1, label %store1, label %done
store1:
  %p1 = getelementptr double, ptr %p, i64 1
  %e1 = extractelement <2 x double> %v, i32 1
  store double %e1, ptr %p1, align 8
  br label %done
done:
  ret void
}

define <8 x float> @rg_expand_x86_avx_maskload_ps_256(ptr %p, <8 x i32> %mask) #0 {
  br label %test0
test0:
  %m0 = extractelement <8 x i32> %mask, i32 0
  %c0 = icmp slt i32 %m0, 0
  br i1 %c0, label %load0, label %test1
load0:
  %p0 = getelementptr float, ptr %p, i64 0
  %e0 = load float, ptr %p0, align 4
  %n0 = insertelement <8 x float> zeroinitializer, float %e0, i32 0
  br label %test1
test1:
  %v1 = phi <8 x float> [ zeroinitializer, %test0 ], [ %n0, %load0 ]
  %m1 = extractelement <8 x i32> %mask, i32 1
  %c1 = icmp slt i32 %m1, 0
  br i1 %c1, label %load1, label %test2
load1:
  %p1 = getelementptr float, ptr %p, i64 1
  %e1 = load float, ptr %p1, align 4
  %n1 = insertelement <8 x float> %v1, float %e1, i32 1
  br label %test2
test2:
  %v2 = phi <8 x float> [ %v1, %test1 ], [ %n1, %load1 ]
  %m2 = extractelement <8 x i32> %mask, i32 2
  %c2 = icmp slt i32 %m2, 0
  br i1 %c2, label %load2, label %test3
load2:
  %p2 = getelementptr float, ptr %p, i64 2
  %e2 = load float, ptr %p2, align 4
  %n2 = insertelement <8 x float> %v2, float %e2, i32 2
  br label %test3
test3:
  %v3 = phi <8 x float> [ %v2, %test2 ], [ %n2, %load2 ]
  %m3 = extractelement <8 x i32> %mask, i32 3
  %c3 = icmp slt i32 %m3, 0
  br i1 %c3, label %load3, label %test4
load3:
  %p3 = getelementptr float, ptr %p, i64 3
  %e3 = load float, ptr %p3, align 4
  %n3 = insertelement <8 x float> %v3, float %e3, i32 3
  br label %test4
test4:
  %v4 = phi <8 x float> [ %v3, %test3 ], [ %n3, %load3 ]
  %m4 = extractelement <8 x i32> %mask, i32 4
  %c4 = icmp slt i32 %m4, 0
  br i1 %c4, label %load4, label %test5
load4:
  %p4 = getelementptr float, ptr %p, i64 4
  %e4 = load float, ptr %p4, align 4
  %n4 = insertelement <8 x float> %v4, float %e4, i32 4
  br label %test5
test5:
  %v5 = phi <8 x float> [ %v4, %test4 ], [ %n4, %load4 ]
  %m5 = extractelement <8 x i32> %mask, i32 5
  %c5 = icmp slt i32 %m5, 0
  br i1 %c5, label %load5, label %test6
load5:
  %p5 = getelementptr float, ptr %p, i64 5
  %e5 = load float, ptr %p5, align 4
  %n5 = insertelement <8 x float> %v5, float %e5, i32 5
  br label %test6
test6:
  %v6 = phi <8 x float> [ %v5, %test5 ], [ %n5, %load5 ]
  %m6 = extractelement <8 x i32> %mask, i32 6
  %c6 = icmp slt i32 %m6, 0
  br i1 %c6, label %load6, label %test7
load6:
  %p6 = getelementptr float, ptr %p, i64 6
  %e6 = load float, ptr %p6, align 4
  %n6 = insertelement <8 x float> %v6, float %e6, i32 6
  br label %test7
test7:
  %v7 = phi <8 x float> [ %v6, %test6 ], [ %n6, %load6 ]
  %m7 = extractelement <8 x i32> %mask, i32 7
  %c7 = icmp slt i32 %m7, 0
  br i1 %c7, label %load7, label %done
load7:
  %p7 = getelementptr float, ptr %p, i64 7
  %e7 = load float, ptr %p7, align 4
  %n7 = insertelement <8 x float> %v7, float %e7, i32 7
  br label %done
done:
  %r = phi <8 x float> [ %v7, %test7 ], [ %n7, %load7 ]
  ret <8 x float> %r
}

define void @rg_expand_x86_avx_maskstore_ps_256(ptr %p, <8 x i32> %mask, <8 x float> %v) #0 {
  br label %test0
test0:
  %m0 = extractelement <8 x i32> %mask, i32 0
  %c0 = icmp slt i32 %m0, 0
  br i1 %c0, label %store0, label %test1
store0:
  %p0 = getelementptr float, ptr %p, i64 0
  %e0 = extractelement <8 x float> %v, i32 0
  store float %e0, ptr %p0, align 4
  br label %test1
test1:
  %m1 = extractelement <8 x i32> %mask, i32 1
  %c1 = icmp slt i32 %m1, 0
  br i1 %c1, label %store1, label %test2
store1:
  %p1 = getelementptr float, ptr %p, i64 1
  %e1 = extractelement <8 x float> %v, i32 1
  store float %e1, ptr %p1, align 4
  br label %test2
test2:
  %m2 = extractelement <8 x i32> %mask, i32 2
  %c2 = icmp slt i32 %m2, 0
  br i1 %c2, label %store2, label %test3
store2:
  %p2 = getelementptr float, ptr %p, i64 2
  %e2 = extractelement <8 x float> %v, i32 2
  store float %e2, ptr %p2, align 4
  br label %test3
test3:
  %m3 = extractelement <8 x i32> %mask, i32 3
  %c3 = icmp slt i32 %m3, 0
  br i1 %c3, label %store3, label %test4
store3:
  %p3 = getelementptr float, ptr %p, i64 3
  %e3 = extractelement <8 x float> %v, i32 3
  store float %e3, ptr %p3, align 4
  br label %test4
test4:
  %m4 = extractelement <8 x i32> %mask, i32 4
  %c4 = icmp slt i32 %m4, 0
  br i1 %c4, label %store4, label %test5
store4:
  %p4 = getelementptr float, ptr %p, i64 4
  %e4 = extractelement <8 x float> %v, i32 4
  store float %e4, ptr %p4, align 4
  br label %test5
test5:
  %m5 = extractelement <8 x i32> %mask, i32 5
  %c5 = icmp slt i32 %m5, 0
  br i1 %c5, label %store5, label %test6
store5:
  %p5 = getelementptr float, ptr %p, i64 5
  %e5 = extractelement <8 x float> %v, i32 5
  store float %e5, ptr %p5, align 4
  br label %test6
test6:
  %m6 = extractelement <8 x i32> %mask, i32 6
  %c6 = icmp slt i32 %m6, 0
  br i1 %c6, label %store6, label %test7
store6:
  %p6 = getelementptr float, ptr %p, i64 6
  %e6 = extractelement <8 x float> %v, i32 6
  store float %e6, ptr %p6, align 4
  br label %test7
test7:
  %m7 = extractelement <8 x i32> %mask, i32 7
  %c7 = icmp slt i32 %m7, 0
  br i1 %c7, label %store7, label %done
store7:
  %p7 = getelementptr float, ptr %p, i64 7
  %e7 = extractelement <8 x float> %v, i32 7
  store float %e7, ptr %p7, align 4
  br label %done
done:
  ret void
}

define <4 x double> @rg_expand_x86_avx_maskload_pd_256(ptr %p, <4 x i64> %mask) #0 {
  br label %test0
test0:
  %m0 = extractelement <4 x i64> %mask, i32 0
  %c0 = icmp slt i64 %m0, 0
  br i1 %c0, label %load0, label %test1
load0:
  %p0 = getelementptr double, ptr %p, i64 0
  %e0 = load double, ptr %p0, align 8
  %n0 = insertelement <4 x double> zeroinitializer, double %e0, i32 0
  br label %test1
test1:
  %v1 = phi <4 x double> [ zeroinitializer, %test0 ], [ %n0, %load0 ]
  %m1 = extractelement <4 x i64> %mask, i32 1
  %c1 = icmp slt i64 %m1, 0
  br i1 %c1, label %load1, label %test2
load1:
  %p1 = getelementptr double, ptr %p, i64 1
  %e1 = load double, ptr %p1, align 8
  %n1 = insertelement <4 x double> %v1, double %e1, i32 1
  br label %test2
test2:
  %v2 = phi <4 x double> [ %v1, %test1 ], [ %n1, %load1 ]
  %m2 = extractelement <4 x i64> %mask, i32 2
  %c2 = icmp slt i64 %m2, 0
  br i1 %c2, label %load2, label %test3
load2:
  %p2 = getelementptr double, ptr %p, i64 2
  %e2 = load double, ptr %p2, align 8
  %n2 = insertelement <4 x double> %v2, double %e2, i32 2
  br label %test3
test3:
  %v3 = phi <4 x double> [ %v2, %test2 ], [ %n2, %load2 ]
  %m3 = extractelement <4 x i64> %mask, i32 3
  %c3 = icmp slt i64 %m3, 0
  br i1 %c3, label %load3, label %done
load3:
  %p3 = getelementptr double, ptr %p, i64 3
  %e3 = load double, ptr %p3, align 8
  %n3 = insertelement <4 x double> %v3, double %e3, i32 3
  br label %done
done:
  %r = phi <4 x double> [ %v3, %test3 ], [ %n3, %load3 ]
  ret <4 x double> %r
}

define void @rg_expand_x86_avx_maskstore_pd_256(ptr %p, <4 x i64> %mask, <4 x double> %v) #0 {
  br label %test0
test0:
  %m0 = extractelement <4 x i64> %mask, i32 0
  %c0 = icmp slt i64 %m0, 0
  br i1 %c0, label %store0, label %test1
store0:
  %p0 = getelementptr double, ptr %p, i64 0
  %e0 = extractelement <4 x double> %v, i32 0
  store double %e0, ptr %p0, align 8
  br label %test1
test1:
  %m1 = extractelement <4 x i64> %mask, i32 1
  %c1 = icmp slt i64 %m1, 0
  br i1 %c1, label %store1, label %test2
store1:
  %p1 = getelementptr double, ptr %p, i64 1
  %e1 = extractelement <4 x double> %v, i32 1
  store double %e1, ptr %p1, align 8
  br label %test2
test2:
  %m2 = extractelement <4 x i64> %mask, i32 2
  %c2 = icmp slt i64 %m2, 0
  br i1 %c2, label %store2, label %test3
store2:
  %p2 = getelementptr double, ptr %p, i64 2
  %e2 = extractelement <4 x double> %v, i32 2
  store double %e2, ptr %p2, align 8
  br label %test3
test3:
  %m3 = extractelement <4 x i64> %mask, i32 3
  %c3 = icmp slt i64 %m3, 0
  br i1 %c3, label %store3, label %done
store3:
  %p3 = getelementptr double, ptr %p, i64 3
  %e3 = extractelement <4 x double> %v, i32 3
  store double %e3, ptr %p3, align 8
  br label %done
done:
  ret void
}

declare <4 x double> @llvm.fma.v4f64(<4 x double>, <4 x double>, <4 x double>)
declare <4 x float> @llvm.x86.sse.rcp.ps(<4 x float>)
declare <4 x float> @llvm.x86.sse.rsqrt.ps(<4 x float>)
declare <8 x float> @llvm.fma.v8f32(<8 x float>, <8 x float>, <8 x float>)

attributes #0 = { "target-features"="+avx" }
attributes #1 = { "target-features"="+avx,+fma" }
