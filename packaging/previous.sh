#!/bin/sh
# Builds the archive of the release before this commit, which VersionSkewIT runs in one cluster with this build.
# sh packaging/previous.sh [OPTION-OF-MAVEN ...]
set -eu
home=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
tag=$(git -C "$home" describe --tags --abbrev=0 --match 'v[0-9]*' HEAD^ 2>/dev/null) || {
  echo "no earlier release: no tag 'v...' before this commit" >&2
  exit 0
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. "$home/bin/find-jdk.sh"
ebb_find_jdk || { ebb_jdk_missing; exit 1; }

git clone -q --branch "$tag" "$home" "$work/ebb"
(cd "$work/ebb" && JAVA_HOME=$EBB_JDK mvn -q -B -ntp -DskipTests -pl dist -am "$@" package)
rm -rf "$home/dist/target/previous"
mkdir -p "$home/dist/target/previous"
for archive in "$work"/ebb/dist/target/ebb-*.tar.gz; do
  case $archive in *-gpu.tar.gz) ;; *) mv "$archive" "$home/dist/target/previous/$tag.tar.gz" ;; esac
done
echo "$tag: dist/target/previous/$tag.tar.gz"
