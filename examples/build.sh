#!/bin/sh
# Builds an example with a JDK and Ebb's SPI alone: sh examples/build.sh two-q [FOLDER]
# The JAR lies in examples/target, or in FOLDER.
set -eu
examples=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
home=${examples%/*}
names=$(cd "$examples" && echo */manifest.txt | sed 's,/manifest.txt,,g')
name=${1:?name an example: $names}
out=${2:-$examples/target}
[ -f "$examples/$name/manifest.txt" ] || { echo "there is no example '$name'; take one of: $names" >&2; exit 1; }

. "$home/bin/find-jdk.sh"
ebb_find_jdk || { ebb_jdk_missing; exit 1; }
# As in the launcher.
lib=$home/dist/target/ebb/lib
[ ! -d "$home/lib" ] || lib=$home/lib
spi=$(echo "$lib"/ebb-spi-[0-9]*.jar)
[ -f "$spi" ] || { echo "build Ebb first: ./ebb --version" >&2; exit 1; }

classes=$out/$name-classes
rm -rf "$classes" && mkdir -p "$classes"
"$EBB_JDK/bin/javac" --release 25 -Xlint:all -Werror -cp "$spi" -d "$classes" "$examples/$name"/src/main/java/acme/*.java
cp -R "$examples/$name/src/main/resources/." "$classes"
"$EBB_JDK/bin/jar" --create --file "$out/$name.jar" --manifest "$examples/$name/manifest.txt" -C "$classes" .
# Ebb loads no JAR that others can write.
chmod go-w "$out/$name.jar"
echo "built $out/$name.jar"
