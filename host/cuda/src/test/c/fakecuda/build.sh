#!/bin/sh
# Builds the test drivers. Usage: build.sh DIRECTORY; leaves libcuda.so.1 and libnvidia-ml.so.1
# there. Needs a C compiler.
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
build() {
  "${CC:-cc}" -std=c11 -O2 -Wall -Wextra -fPIC -shared -Wl,-soname,"$1" -o "$2/$1" "$3"/*.c \
    -lm -lpthread
}
build libcuda.so.1 "$1" "$here"
build libnvidia-ml.so.1 "$1" "$here/../fakenvml"
