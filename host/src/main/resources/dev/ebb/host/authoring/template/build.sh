#!/bin/sh
# Builds {{jar}} with the JDK 25 in JAVA_HOME, or the one on the PATH.
set -eu
cd "$(dirname "$0")"
bin=${JAVA_HOME:+$JAVA_HOME/bin/}
rm -rf build && mkdir -p build
find src/main/java -name '*.java' > build/sources
"${bin}javac" --release 25 -Xlint:all -cp lib/ebb-spi-{{spi}}.jar -d build/classes @build/sources
cp -R src/main/resources/. build/classes
"${bin}jar" --create --file {{jar}} --manifest manifest.txt -C build/classes .
echo "built {{jar}}"
