# shellcheck shell=sh disable=SC2034
# Sets EBB_JDK to a JDK of the needed level, or to nothing. Sourced by the launcher and by CI.
# Reads the "release" file that every JDK carries, so that looking costs no JVM start.

EBB_JDK_LEVEL=25

ebb_jdk_fits() {
  [ -x "$1/bin/java" ] && [ -x "$1/bin/javac" ] && [ -r "$1/release" ] || return 1
  while IFS= read -r ebb_line; do
    case $ebb_line in
      JAVA_VERSION=*)
        ebb_line=${ebb_line#JAVA_VERSION=\"}
        ebb_line=${ebb_line%%[!0-9]*}
        [ -n "$ebb_line" ] && [ "$ebb_line" -ge "$EBB_JDK_LEVEL" ]
        return
        ;;
    esac
  done < "$1/release"
  return 1
}

ebb_find_jdk() {
  EBB_JDK=
  # Who names a JDK means that one.
  if [ -n "${EBB_JAVA_HOME:-}" ]; then
    ebb_jdk_fits "$EBB_JAVA_HOME" || return 1
    EBB_JDK=$EBB_JAVA_HOME
    return 0
  fi
  ebb_path_java=$(command -v javac 2>/dev/null || true)
  if [ -n "$ebb_path_java" ]; then
    ebb_path_java=$(readlink -f "$ebb_path_java" 2>/dev/null || echo "$ebb_path_java")
    ebb_path_java=${ebb_path_java%/bin/javac}
  fi
  for ebb_candidate in "${JAVA_HOME:-}" "$ebb_path_java" \
    /usr/lib/jvm/* /usr/java/* /opt/java/* /opt/jdk* \
    /Library/Java/JavaVirtualMachines/*/Contents/Home \
    /opt/homebrew/opt/openjdk*/libexec/openjdk.jdk/Contents/Home \
    "${HOME:-/nowhere}"/.sdkman/candidates/java/* "${HOME:-/nowhere}"/.jdks/* \
    "${HOME:-/nowhere}"/.local/share/mise/installs/java/*; do
    if [ -n "$ebb_candidate" ] && ebb_jdk_fits "$ebb_candidate"; then
      EBB_JDK=$ebb_candidate
      return 0
    fi
  done
  return 1
}

ebb_jdk_missing() {
  if [ -n "${EBB_JAVA_HOME:-}" ]; then
    echo "ebb: EBB_JAVA_HOME='$EBB_JAVA_HOME' is not a JDK $EBB_JDK_LEVEL or newer; set it to one, or unset it so that Ebb searches for one" >&2
    return
  fi
  cat >&2 <<TEXT
ebb: needs a JDK $EBB_JDK_LEVEL or newer, and none was found.
Looked at JAVA_HOME='${JAVA_HOME:-}', the PATH, and where systems install JDKs.
Install one, then run this again:
  Debian, Ubuntu   apt install openjdk-$EBB_JDK_LEVEL-jdk-headless   (or temurin-$EBB_JDK_LEVEL-jdk from Adoptium)
  Fedora, RHEL     dnf install java-$EBB_JDK_LEVEL-openjdk-devel
  macOS            brew install openjdk@$EBB_JDK_LEVEL
  anything         sdk install java $EBB_JDK_LEVEL-tem            (SDKMAN)
Or point EBB_JAVA_HOME at one you have.
TEXT
}
