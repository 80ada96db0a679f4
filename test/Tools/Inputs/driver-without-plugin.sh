#!/bin/sh
for word; do
  shift
  case $word in -mllvm | -rg-plan=*) ;; *) set -- "$@" "$word" ;; esac
done
exec clang "$@"
