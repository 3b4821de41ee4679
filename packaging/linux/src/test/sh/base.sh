#!/bin/sh
# Makes a small base of images from programs of this machine: sh base.sh FOLDER
set -eu
mkdir -p "$1/root/tmp" "$1/root/bin" && cd "$1"
for program in sh rm touch mv cat readlink; do
  file=$(readlink -f "$(command -v $program)")
  cp "$file" root/bin/$program
  ldd "$file" | grep -o '/[^ ]*' | while read -r library; do
    mkdir -p "root${library%/*}" && cp -L "$library" "root$library"
  done
done
# What the Java of the image needs.
for library in libdl libpthread librt libm libz; do
  found=$(ldconfig -p | sed -n "s,.*$library\.so\.[0-9]* .*=> ,,p" | head -n 1)
  [ -z "$found" ] || { mkdir -p "root${found%/*}" && cp -L "$found" "root$found"; }
done
chmod 1777 root/tmp
tar cf layer.tar -C root .
layer=$(sha256sum layer.tar | cut -d' ' -f1)
cat >config.json <<TEXT
{"architecture":"amd64","os":"linux","config":{},"rootfs":{"type":"layers","diff_ids":["sha256:$layer"]}}
TEXT
echo '[{"Config":"config.json","RepoTags":["base:latest"],"Layers":["layer.tar"]}]' >manifest.json
tar cf base.tar manifest.json config.json layer.tar
