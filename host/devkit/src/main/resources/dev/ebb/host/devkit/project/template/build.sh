#!/bin/sh
# Builds {{jar}} with a JDK 25 or newer: that in JAVA_HOME, on the PATH, or where systems install them.
set -eu
cd "$(dirname "$0")"
level() { sed -n 's/^JAVA_VERSION="\([0-9]*\).*/\1/p' "$1/release" 2>/dev/null; }
path=$(readlink -f "$(command -v javac || echo /nowhere)" 2>/dev/null || true)
jdk=
for each in "${JAVA_HOME:-}" "${path%/bin/javac}" /usr/lib/jvm/* /usr/java/* /opt/java/* /opt/jdk* \
  /Library/Java/JavaVirtualMachines/*/Contents/Home "$HOME"/.sdkman/candidates/java/* "$HOME"/.jdks/*; do
  found=$(level "$each" || true)
  if [ -x "$each/bin/javac" ] && [ "${found:-0}" -ge 25 ]; then
    jdk=$each
    break
  fi
done
[ -n "$jdk" ] || { echo "build.sh: no JDK 25 or newer was found; set JAVA_HOME to one" >&2; exit 1; }
rm -rf build && mkdir -p build
find src/main/java -name '*.java' > build/sources
"$jdk/bin/javac" --release 25 -Xlint:all -cp lib/ebb-spi-{{spi}}.jar -d build/classes @build/sources
cp -R src/main/resources/. build/classes
"$jdk/bin/jar" --create --file {{jar}} --manifest manifest.txt -C build/classes .
echo "built {{jar}}"
