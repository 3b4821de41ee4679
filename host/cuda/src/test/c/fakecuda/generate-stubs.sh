#!/bin/sh
# Writes stubs.c from the symbols that a JCuda library leaves to the driver.
# Usage: generate-stubs.sh libJCudaDriver-VERSION-linux-x86_64.so
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
header=$(sed '/^STUB(cu/,$d' "$here/stubs.c")
{
  printf '%s\n\n' "$header"
  nm -D --undefined-only "$1" | awk '$2 ~ /^cu/ { print $2 }' | LC_ALL=C sort | sed 's/.*/STUB(&)/'
} >"$here/stubs.c.new"
mv "$here/stubs.c.new" "$here/stubs.c"
