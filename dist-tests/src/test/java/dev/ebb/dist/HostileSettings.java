package dev.ebb.dist;

import static dev.ebb.dist.HostileJar.Outcome.QUARANTINED;
import static dev.ebb.dist.HostileJar.Outcome.SERVED;

import java.util.List;

/** Policies that change global settings of the process. */
final class HostileSettings extends HostileGroup {

  private HostileSettings() {}

  static List<HostileJar> all() {
    HostileSettings made = new HostileSettings();
    made.settings();
    return made.jars();
  }

  private void settings() {
    String group = "global settings";
    once(group, "closes-system-out", "victim", "System.out.close(); System.err.close();", SERVED);
    once(
        group,
        "replaces-system-out",
        "victim",
        "var hang = new PrintStream(new OutputStream() { public void write(int b) { sleepForever();"
            + " } }); System.setOut(hang); System.setErr(hang); System.out.println(1);",
        QUARANTINED);
    once(
        group,
        "null-system-out",
        "victim",
        "System.setOut(null); System.setErr(null); System.setIn(null);",
        SERVED);
    once(
        group,
        "floods-system-err",
        "victim",
        "daemon(() -> { for (int i = 0; i < 20000; i++) System.err.println(\"flood\"); });",
        SERVED);
    once(
        group, "turkish-locale", "create", "Locale.setDefault(Locale.of(\"tr\", \"TR\"));", SERVED);
    once(
        group,
        "arabic-digits",
        "create",
        "Locale.setDefault(Locale.forLanguageTag(\"ar-EG-u-nu-arab\"));",
        SERVED);
    once(
        group,
        "other-time-zone",
        "create",
        "TimeZone.setDefault(TimeZone.getTimeZone(\"Asia/Kathmandu\"));",
        SERVED);
    once(group, "no-properties", "victim", "System.setProperties(new Properties());", SERVED);
    once(
        group,
        "broken-properties",
        "victim",
        "System.getProperties().putAll(Map.of(\"file.separator\", \"|\", \"line.separator\", \"~\","
            + " \"user.dir\", \"/nonexistent\", \"java.io.tmpdir\", \"/nonexistent\","
            + " \"java.home\", \"/nonexistent\"));",
        SERVED);
    once(
        group,
        "properties-not-strings",
        "victim",
        "System.getProperties().put(1, new Object());",
        SERVED);
    once(
        group,
        "no-security-providers",
        "victim",
        "for (var p : java.security.Security.getProviders())"
            + " java.security.Security.removeProvider(p.getName());",
        SERVED,
        QUARANTINED);
    once(
        group,
        "bad-security-provider",
        "victim",
        "java.security.Security.insertProviderAt(new java.security.Provider(\"Bad\", \"1\", \"\") {"
            + " public synchronized Service getService(String type, String algorithm) { throw new"
            + " IllegalStateException(\"hostile\"); } }, 1);",
        SERVED);
    once(
        group,
        "url-handlers",
        "victim",
        "java.net.URL.setURLStreamHandlerFactory(p -> { throw new"
            + " IllegalStateException(\"hostile\"); });",
        QUARANTINED);
    once(
        group,
        "serial-filter",
        "victim",
        "ObjectInputFilter.Config.setSerialFilter(i -> ObjectInputFilter.Status.REJECTED);",
        SERVED);
    once(
        group,
        "proxy-and-cookies",
        "victim",
        "java.net.ProxySelector.setDefault(null); java.net.CookieHandler.setDefault(null);"
            + " java.net.Authenticator.setDefault(null);",
        SERVED);
    once(
        group,
        "stops-logging",
        "victim",
        "try { Object f = org.slf4j.LoggerFactory.getILoggerFactory();"
            + " f.getClass().getMethod(\"stop\").invoke(f);"
            + " f.getClass().getMethod(\"reset\").invoke(f); } catch (ReflectiveOperationException"
            + " e) { throw new IllegalStateException(e); }",
        SERVED,
        QUARANTINED);
    once(
        group,
        "resets-java-logging",
        "victim",
        "java.util.logging.LogManager.getLogManager().reset();",
        SERVED);
    once(
        group,
        "forged-log-lines",
        "victim",
        "org.slf4j.LoggerFactory.getLogger(\"x\").info(\"a\\n2026-01-01 ERROR forged {}"
            + " \\u001b[31m\", new Object() { public String toString() { throw new"
            + " IllegalStateException(); } });",
        SERVED,
        QUARANTINED);
    once(
        group,
        "unregisters-mbeans",
        "victim",
        "try { var s = java.lang.management.ManagementFactory.getPlatformMBeanServer(); for (var n"
            + " : s.queryNames(null, null)) { try { s.unregisterMBean(n); } catch (Exception e) { }"
            + " } } catch (Exception e) { }",
        SERVED);
    once(
        group,
        "uncaught-handler",
        "victim",
        "Thread.setDefaultUncaughtExceptionHandler((t, e) -> sleepForever());",
        SERVED);
  }
}
