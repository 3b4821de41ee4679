# Builds and tests one module of a source checkout: 'ebb dev'. Sourced by the launcher, which has set
# $home, found a JDK, and has the functions modules and need_maven.

ebb_dev_usage() {
  cat <<'USAGE'
Usage: ebb dev compile MODULE           compiles a module, its tests, and the modules it needs
       ebb dev test MODULE [TEST]       the same, then runs its tests, or one class of them
                                        (also a pattern or a method: 'Foo*Test', FooTest#bar)
Modules:
USAGE
  modules | sed 's,.*/,,' | tr '\n' ' ' | fold -s -w 78 | sed 's/^/  /'
  echo
}

ebb_dev() {
  case ${1:-} in
    compile) [ $# -eq 2 ] || { ebb_dev_usage >&2; return 2; } ;;
    test) [ $# -eq 2 ] || [ $# -eq 3 ] || { ebb_dev_usage >&2; return 2; } ;;
    -h | --help) ebb_dev_usage; return 0 ;;
    *) ebb_dev_usage >&2; return 2 ;;
  esac
  module=$(modules | grep -Fx -e "$2" -e "host/$2") || true
  if [ -z "$module" ]; then
    echo "ebb dev: unknown module '$2'; 'ebb dev --help' lists the modules" >&2
    return 2
  fi
  need_maven "ebb dev:"
  cd "$home"
  export JAVA_HOME="$EBB_JDK"
  # Without warnings about libraries of Maven itself.
  export MAVEN_OPTS="${MAVEN_OPTS:-} --sun-misc-unsafe-memory-access=allow"
  if [ "$1" = compile ]; then
    mvn -B -ntp -q -pl "$module" -am test-compile
    return
  fi
  if [ -d "$module-tests" ]; then
    module=$module-tests
    echo "ebb dev: its tests are the module '${module##*/}'" >&2
  fi
  # The tests of the modules that it needs are not run, so these are installed first. Only dist is not.
  mvn -B -ntp -q -pl "$module" -am -DskipTests install || return
  ! grep -qF '<artifactId>ebb-dist</artifactId>' "$module/pom.xml" || module=dist,$module
  case ${3:-} in
    '') mvn -B -ntp -pl "$module" verify ;;
    *IT | *IT'#'*) mvn -B -ntp -pl "$module" -Dtest=None -Dit.test="$3" \
      -Dsurefire.failIfNoSpecifiedTests=false -DfailIfNoTests=false verify ;;
    *) mvn -B -ntp -pl "$module" -Dtest="$3" test ;;
  esac
}
