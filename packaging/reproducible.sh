#!/bin/sh
# Builds the committed state twice, in two folders, and compares every JAR, the archives and the packages byte for byte.
# sh packaging/reproducible.sh [OPTION-OF-MAVEN ...]
set -eu
home=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

. "$home/bin/find-jdk.sh"
ebb_find_jdk || { ebb_jdk_missing; exit 1; }

# The modes of files are part of a JAR, so the mask is always the same.
umask 022
commit=$(git -C "$home" rev-parse HEAD)

# build FOLDER ZONE [OPTION ...]
build() {
  folder=$work/$1
  zone=$2
  shift 2
  git clone -q "$home" "$folder"
  git -C "$folder" checkout -q "$commit"
  (cd "$folder" && TZ=$zone JAVA_HOME=$EBB_JDK mvn -q -B -ntp -Prelease -DskipTests "$@" package)
  (
    cd "$folder"
    find . -name '*.jar' -path '*/target/*' ! -path './*/target/ebb/lib/*' -o -name 'ebb-*.tar.gz' -o -name 'ebb_*.deb' -o -name 'ebb-*.rpm' -o -path './plugins/*.jar' \
      | LC_ALL=C sort | xargs sha256sum
  ) >"$folder.sums"
}

# What must not matter differs: the folder, the time zone, the time.
build one UTC "$@"
build another-folder Pacific/Auckland "$@"

if diff "$work/one.sums" "$work/another-folder.sums"; then
  echo "$commit: the same $(wc -l <"$work/one.sums") files twice:"
  sed 's/^\(............\)[^ ]*/\1/' "$work/one.sums"
else
  echo "not reproducible: the files above differ" >&2
  exit 1
fi
