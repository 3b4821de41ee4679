#!/bin/sh
# Builds the test driver. Usage: build.sh DIRECTORY; leaves libcuda.so.1 there. Needs a C compiler.
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
"${CC:-cc}" -std=c11 -O2 -Wall -Wextra -fPIC -shared -Wl,-soname,libcuda.so.1 \
  -o "$1/libcuda.so.1" "$here"/*.c -lm -lpthread
