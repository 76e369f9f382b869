# Finds a JDK 25 or newer and exports JAVA_HOME. Sourced by ./mvnw and ./mainstay, so that both
# work where the default `java` is older. Looks at JAVA_HOME, then PATH, then the usual folders.

_jdk_major() { # prints the feature version of the JDK in $1, or nothing
  [ -x "$1/bin/javac" ] && [ -r "$1/release" ] || return 0
  sed -n 's/^JAVA_VERSION="\([0-9]*\).*/\1/p' "$1/release"
}

_jdk_ok() {
  _major=$(_jdk_major "$1")
  [ -n "$_major" ] && [ "$_major" -ge 25 ] 2>/dev/null
}

_jdk_find() {
  if [ -n "${JAVA_HOME-}" ] && _jdk_ok "$JAVA_HOME"; then
    printf '%s\n' "$JAVA_HOME"
    return 0
  fi
  _javac=$(command -v javac 2>/dev/null || true)
  if [ -n "$_javac" ]; then
    _javac=$(readlink -f "$_javac" 2>/dev/null || printf '%s\n' "$_javac")
    _home=$(dirname "$(dirname "$_javac")")
    if _jdk_ok "$_home"; then
      printf '%s\n' "$_home"
      return 0
    fi
  fi
  for _root in /usr/lib/jvm /opt /opt/java /usr/java /usr/local "$HOME/.sdkman/candidates/java" "$HOME/.jdks" \
    "$HOME/.local/share/mise/installs/java" /Library/Java/JavaVirtualMachines "$HOME/Library/Java/JavaVirtualMachines"; do
    [ -d "$_root" ] || continue
    for _home in $(ls -d "$_root"/*/ 2>/dev/null); do
      _home=${_home%/}
      [ -d "$_home/Contents/Home" ] && _home="$_home/Contents/Home"
      if _jdk_ok "$_home"; then
        printf '%s\n' "$_home"
        return 0
      fi
    done
  done
  return 1
}

if _found=$(_jdk_find); then
  JAVA_HOME=$_found
  export JAVA_HOME
else
  echo "Mainstay needs a JDK 25 or newer; found none in JAVA_HOME (${JAVA_HOME:-not set}), PATH or the usual folders." >&2
  echo "Install one (for example Eclipse Temurin 25 from https://adoptium.net, 'sdk install java 25-tem' or" >&2
  echo "'brew install --cask temurin@25') and start again, or set JAVA_HOME to it." >&2
  exit 1
fi
