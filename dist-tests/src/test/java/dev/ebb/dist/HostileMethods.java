package dev.ebb.dist;

import static dev.ebb.dist.HostileJar.Outcome.QUARANTINED;
import static dev.ebb.dist.HostileJar.Outcome.REFUSED;
import static dev.ebb.dist.HostileJar.Outcome.SERVED;
import static dev.ebb.dist.HostileJar.Outcome.SWITCH_FAILED;

import java.util.List;
import java.util.Locale;

/** Policies that throw, hang or lie in a method of the SPI. */
final class HostileMethods extends HostileGroup {

  private static final List<String> LOADING = List.of("initializer", "constructor", "name");

  /** Called for each entry or to make room. */
  private static final List<String> NEEDED = List.of("inserted", "accessed", "victim", "removed");

  /** Called in each switch. */
  private static final List<String> SWITCHING = List.of("create", "size");

  /** Called rarely, or only for what an operator asks. */
  private static final List<String> OTHER =
      List.of(
          "began",
          "ended",
          "admits",
          "refused",
          "released",
          "resized",
          "score",
          "explain",
          "gauges",
          "stateFormat",
          "saveState",
          "loadState",
          "close");

  private HostileMethods() {}

  static List<HostileJar> all() {
    HostileMethods made = new HostileMethods();
    made.throwing();
    made.hanging();
    made.lying();
    made.throwables();
    return made.jars();
  }

  private static String word(String place) {
    return place.replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
  }

  private void throwing() {
    String statement = "throw new IllegalStateException(\"hostile\");";
    LOADING.forEach(place -> add("throws", "throws-" + word(place), place, statement, REFUSED));
    NEEDED.forEach(place ->
        add("throws", "throws-" + word(place), place, statement, QUARANTINED, SWITCH_FAILED));
    SWITCHING.forEach(
        place -> add("throws", "throws-" + word(place), place, statement, SWITCH_FAILED));
    OTHER.forEach(
        place -> add("throws", "throws-" + word(place), place, statement, SERVED, QUARANTINED));
  }

  private void hanging() {
    String statement = "sleepForever();";
    LOADING.forEach(place -> add("hangs", "hangs-" + word(place), place, statement, REFUSED));
    NEEDED.forEach(place ->
        add("hangs", "hangs-" + word(place), place, statement, QUARANTINED, SWITCH_FAILED));
    SWITCHING.forEach(
        place -> add("hangs", "hangs-" + word(place), place, statement, SWITCH_FAILED));
    OTHER.forEach(place ->
        add("hangs", "hangs-" + word(place), place, statement, SERVED, QUARANTINED, SWITCH_FAILED));
    add("hangs", "hangs-self-test", "createAlways", statement, SWITCH_FAILED);
    add("hangs", "spins-victim", "victim", "spinMillis(4000);", QUARANTINED);
    add("hangs", "slow-accessed", "accessed", "spinMillis(3);", SERVED, QUARANTINED);
    add("hangs", "slow-victim", "victim", "sleepMillis(40);", SERVED, QUARANTINED);
    add("hangs", "slow-removed", "removed", "sleepMillis(15);", SERVED, QUARANTINED);
  }

  private void lying() {
    String group = "lies";
    add(group, "name-null", "name", "return null;", REFUSED);
    add(group, "name-empty", "name", "return \"\";", REFUSED);
    add(group, "name-path", "name", "return \"../../etc\";", REFUSED);
    add(group, "name-huge", "name", "return \"a\".repeat(50000000);", REFUSED);
    add(group, "name-reserved", "name", "return \"none\";", REFUSED);
    add(group, "name-of-active-policy", "name", "return \"lru\";", SWITCH_FAILED);
    add(group, "name-changes", "name", "return \"n\" + System.nanoTime();", SWITCH_FAILED, SERVED);
    add(group, "name-newline", "name", "return \"a\\n2026 ERROR forged line\";", REFUSED);
    add(group, "create-null", "createAlways", "return null;", SWITCH_FAILED);
    add(group, "inserted-null", "inserted", "return null;", SWITCH_FAILED, QUARANTINED);
    add(group, "inserted-same-node", "inserted", "held++; return firstNode;", QUARANTINED, SERVED);
    add(group, "inserted-forgets", "inserted", "held++; return node;", QUARANTINED, SERVED);
    add(group, "victim-foreign", "victim", "return foreign();", QUARANTINED);
    add(group, "victim-null", "victim", "return null;", QUARANTINED);
    add(group, "victim-first", "victim", "return first;", QUARANTINED, SERVED);
    add(group, "victim-newest", "victim", "return last;", QUARANTINED, SERVED);
    add(
        group,
        "victim-now-and-then-null",
        "victim",
        "if (calls % 3 == 0) return null;",
        SERVED,
        QUARANTINED);
    add(group, "admits-never", "admits", "return false;", SERVED);
    add(group, "removed-forgets", "removed", "held--; return;", QUARANTINED);
    add(group, "refused-keeps", "refused", "return;", SERVED, QUARANTINED);
    add(group, "size-negative", "size", "return -1;", SWITCH_FAILED);
    add(group, "size-huge", "size", "return Long.MAX_VALUE;", SWITCH_FAILED);
    add(group, "size-zero", "size", "return 0;", SWITCH_FAILED);
    add(group, "score-nan", "score", "return Double.NaN;", SERVED);
    add(group, "score-infinite", "score", "return Double.NEGATIVE_INFINITY;", SERVED);
    add(group, "explain-null", "explain", "return null;", SERVED);
    add(group, "explain-huge", "explain", "return \"x\".repeat(20000000);", SERVED);
    add(
        group,
        "explain-script",
        "explain",
        "return \"</script><script>alert(1)</script>\\u0000\\ud800\";",
        SERVED);
    add(group, "gauges-null", "gauges", "return null;", SERVED);
    add(
        group,
        "gauges-null-values",
        "gauges",
        "var map = new HashMap<String, Double>(); map.put(null, null); map.put(\"a\", null); return"
            + " map;",
        SERVED);
    add(
        group,
        "gauges-nan",
        "gauges",
        "return Map.of(\"p\", Double.NaN, \"q\", Double.POSITIVE_INFINITY, \"a\\\"}\\n# TYPE x\","
            + " 1.0);",
        SERVED);
    add(
        group,
        "gauges-million",
        "gauges",
        "var map = new HashMap<String, Double>(); for (int i = 0; i < 300000; i++) map.put(\"g\" +"
            + " i, 1.0); return map;",
        SERVED,
        QUARANTINED);
    add(
        group,
        "gauges-endless",
        "gauges",
        "return new AbstractMap<>() { public Set<Map.Entry<String, Double>> entrySet() { return new"
            + " AbstractSet<>() { public int size() { return 1; } public Iterator<Map.Entry<String,"
            + " Double>> iterator() { return new Iterator<>() { public boolean hasNext() { return"
            + " true; } public Map.Entry<String, Double> next() { return Map.entry(\"g\", 1.0); }"
            + " }; } }; } };",
        SERVED);
    add(group, "gauges-not-strings", "gauges", "return (Map) Map.of(1, \"one\");", SERVED);
    add(group, "state-format-negative", "stateFormat", "return -7;", SERVED);
    add(
        group,
        "save-state-endless",
        "saveState",
        "byte[] zeros = new byte[1 << 20]; while (true) { out.write(zeros); }",
        SERVED);
    add(group, "save-state-closes", "saveState", "out.close();", SERVED);
    add(group, "load-state-nothing", "loadState", "if (yes) return;", SERVED);
    add(
        group,
        "reads-request-later",
        "ended",
        "Request kept = request; daemon(() -> { for (int i = 0; i < 1000; i++) { kept.fingerprint(i"
            + " % 9); kept.tenant(); } });",
        SERVED);
    add(
        group,
        "reads-entries-later",
        "inserted",
        "if (calls++ % 100 == 0) daemon(() -> { for (int i = 0; i < 100000; i++) {"
            + " entry.fingerprint(); entry.accesses(); } });",
        SERVED);
    add(
        group,
        "changes-order-later",
        "inserted",
        "if (held == 10) daemon(() -> { for (int i = 0; i < 100000; i++) { order.clear(); } });",
        QUARANTINED,
        SERVED);
  }

  private void throwables() {
    String group = "throws odd things";
    add(group, "throws-error", "victim", "throw new Error(\"hostile\");", QUARANTINED);
    add(
        group,
        "throws-checked",
        "victim",
        "throw sneaky(new IOException(\"hostile\"));",
        QUARANTINED);
    add(
        group,
        "throws-interrupted",
        "victim",
        "throw sneaky(new InterruptedException());",
        QUARANTINED);
    add(group, "throws-no-class", "victim", "throw new NoClassDefFoundError(\"x\");", QUARANTINED);
    add(
        group,
        "throws-made-oom",
        "victim",
        "throw new OutOfMemoryError(\"made up\");",
        QUARANTINED);
    add(group, "throws-thread-death", "victim", "throw new ThreadDeath();", QUARANTINED);
    add(group, "throws-internal-error", "victim", "throw new InternalError();", QUARANTINED);
    add(
        group,
        "throws-no-message",
        "victim",
        "throw new RuntimeException() { public String getMessage() { throw this; } public String"
            + " toString() { throw this; } };",
        QUARANTINED);
    add(
        group,
        "throws-hanging-message",
        "victim",
        "throw new RuntimeException() { public String getMessage() { sleepForever(); return \"\"; }"
            + " };",
        QUARANTINED);
    add(
        group,
        "throws-huge-message",
        "victim",
        "throw new RuntimeException(\"m\".repeat(20000000));",
        QUARANTINED);
    add(
        group,
        "throws-cause-cycle",
        "victim",
        "var a = new RuntimeException(\"a\"); var b = new RuntimeException(\"b\", a);"
            + " a.initCause(b); throw a;",
        QUARANTINED);
    add(
        group,
        "throws-null-stack",
        "victim",
        "throw new RuntimeException(\"x\") { public StackTraceElement[] getStackTrace() { return"
            + " null; } };",
        QUARANTINED);
    add(
        group,
        "throws-long-stack",
        "victim",
        "var e = new RuntimeException(\"x\"); var s = new StackTraceElement[2000000];"
            + " Arrays.fill(s, new StackTraceElement(\"a\", \"b\", \"c\", 1)); e.setStackTrace(s);"
            + " throw e;",
        QUARANTINED);
    add(group, "recursion-victim", "victim", "return victim(demand);", QUARANTINED);
    add(group, "recursion-explain", "explain", "return explain(node);", QUARANTINED);
    add(
        group,
        "throws-in-to-string",
        "createAlways",
        "return new Policy(context) { public String toString() { throw new IllegalStateException();"
            + " } public int hashCode() { throw new IllegalStateException(); } public boolean"
            + " equals(Object o) { throw new IllegalStateException(); } };",
        SERVED);
  }
}
