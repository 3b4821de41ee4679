#!/bin/sh
# Compiles kernels.cu to PTX that drivers from CUDA 10 on assemble for any card from Turing on.
# Usage: compile-kernels.sh [OUTPUT], by default kernels.ptx beside this file. Needs nvcc.
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
output=${1:-$here/kernels.ptx}
nvcc -arch=compute_75 -ptx -o "$output.new" "$here/kernels.cu"
# nvcc names the newest PTX it knows, which older drivers refuse, though nothing in here needs it.
sed 's/^\.version .*/.version 6.3/' "$output.new" >"$output"
rm -f "$output.new"
