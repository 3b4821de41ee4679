#!/bin/sh
# Publishes to a folder what third parties fetch, and builds a policy and a program that embeds Ebb from that folder.
# sh packaging/published.sh FOLDER [OPTION-OF-MAVEN ...]
set -eu
home=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
folder=${1:?name a folder for the repository}
mkdir -p "$folder"
folder=$(CDPATH='' cd -- "$folder" && pwd)
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. "$home/bin/find-jdk.sh"
ebb_find_jdk || { ebb_jdk_missing; exit 1; }
export JAVA_HOME="$EBB_JDK"
version=$(sed -n 's,^  <version>\(.*\)</version>,\1,p' "$home/pom.xml")

modules=$(cd "$home" && echo . bom spi spi-testkit plugin-* host/embedded archetype | tr ' ' ',')
mvn -q -B -ntp -f "$home" -Prelease -Dgpg.skip -DskipTests -pl "$modules" -am "$@" \
  "-DaltDeploymentRepository=local::file://$folder" deploy

# Each has its description, and each JAR its sources and documentation.
find "$folder/dev/ebb" -name '*.pom' | while read -r pom; do
  for part in name description; do
    grep -q "<$part>" "$pom" || { echo "$pom has no <$part>" >&2; exit 1; }
  done
  jar=${pom%.pom}.jar
  case $jar in *-archetype-*) continue ;; esac
  [ ! -f "$jar" ] || for kind in sources javadoc; do
    [ -f "${jar%.jar}-$kind.jar" ] || { echo "$jar has no $kind" >&2; exit 1; }
  done
done

# The BOM lists what is published, and nothing else.
sed -n 's,.*<artifactId>\(ebb-.*\)</artifactId>,\1,p' "$home/bom/pom.xml" | grep -vx ebb-bom | LC_ALL=C sort >"$work/listed"
find "$folder/dev/ebb" -name '*-javadoc.jar' | sed 's,.*/dev/ebb/\([^/]*\)/.*,\1,' | LC_ALL=C sort >"$work/published"
diff "$work/listed" "$work/published"

# Somebody else's project.
mkdir -p "$work/policy/src/main/resources" "$work/engine/src/main/java"
cp -R "$home/examples/warm/src" "$work/policy/"
sed 's/eviction.policy = lru/eviction.policy = warm/' "$home/examples/engines/TinyEngine.java" >"$work/engine/src/main/java/TinyEngine.java"
cat >"$work/pom.xml" <<TEXT
<project>
  <modelVersion>4.0.0</modelVersion>
  <groupId>mine</groupId><artifactId>all</artifactId><version>1</version><packaging>pom</packaging>
  <modules><module>policy</module><module>engine</module></modules>
  <properties>
    <maven.compiler.release>25</maven.compiler.release>
    <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
  </properties>
  <repositories><repository><id>ebb</id><url>file://$folder</url></repository></repositories>
  <dependencyManagement><dependencies><dependency>
    <groupId>dev.ebb</groupId><artifactId>ebb-bom</artifactId><version>$version</version><type>pom</type><scope>import</scope>
  </dependency></dependencies></dependencyManagement>
  <build><pluginManagement><plugins>
    <plugin><artifactId>maven-compiler-plugin</artifactId><version>3.15.0</version></plugin>
    <plugin><artifactId>maven-jar-plugin</artifactId><version>3.5.1</version></plugin>
    <plugin><artifactId>maven-resources-plugin</artifactId><version>3.5.0</version></plugin>
    <plugin><artifactId>maven-dependency-plugin</artifactId><version>3.11.0</version></plugin>
  </plugins></pluginManagement></build>
</project>
TEXT
for module in policy:ebb-spi engine:ebb-embedded; do
  cat >"$work/${module%:*}/pom.xml" <<TEXT
<project>
  <modelVersion>4.0.0</modelVersion>
  <parent><groupId>mine</groupId><artifactId>all</artifactId><version>1</version></parent>
  <artifactId>${module%:*}</artifactId>
  <dependencies><dependency><groupId>dev.ebb</groupId><artifactId>${module#*:}</artifactId></dependency></dependencies>
  <build><plugins><plugin><artifactId>maven-jar-plugin</artifactId><configuration><archive>
    <manifestFile>\${project.basedir}/manifest.txt</manifestFile>
  </archive></configuration></plugin></plugins></build>
</project>
TEXT
done
cp "$home/examples/warm/manifest.txt" "$work/policy/"
: >"$work/engine/manifest.txt"

# Ebb's own JARs must come from the folder: a local repository that has the libraries only.
local=$HOME/.m2/repository
for option; do
  case $option in -Dmaven.repo.local=*) local=${option#*=} ;; esac
done
mkdir -p "$work/m2/dev"
for each in "$local"/*; do [ "${each##*/}" = dev ] || ln -s "$each" "$work/m2/"; done
for each in "$local"/dev/*; do [ "${each##*/}" = ebb ] || ln -s "$each" "$work/m2/dev/"; done
mvn -q -B -ntp -f "$work" -Dmaven.repo.local="$work/m2" -Dmaven.test.skip package dependency:copy-dependencies -DincludeScope=runtime

home_of_ebb=$work/home
mkdir -p "$home_of_ebb/plugins"
cp "$work/policy/target/policy-1.jar" "$folder"/dev/ebb/ebb-plugin-lru/*/ebb-plugin-lru-$version.jar "$home_of_ebb/plugins/"
"$EBB_JDK/bin/java" --enable-native-access=ALL-UNNAMED -cp "$work/engine/target/classes:$work/engine/target/dependency/*" TinyEngine "$home_of_ebb"
