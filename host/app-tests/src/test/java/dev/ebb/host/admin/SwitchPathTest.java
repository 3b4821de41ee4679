package dev.ebb.host.admin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.admin.policy.PolicyRoutes;
import dev.ebb.host.runtime.PolicyRuntime;
import dev.ebb.host.switching.PolicySwitcher;
import dev.ebb.host.testing.EntryCounter;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The amount of code that a policy switch by {@code PUT /api/v1/policy} runs. */
class SwitchPathTest {

  @TempDir private Path home;

  /** Runs in a class loader that counts. */
  public static final class Switches implements AutoCloseable {

    private final AdminProcess process;

    public Switches(Path home) {
      process = AdminProcess.start(home, "");
    }

    public void to(String policy) {
      AdminProcess.Answer answer =
          process.call("PUT", "/api/v1/policy", "{\"policy\": \"%s\"}".formatted(policy));
      assertThat(answer.status()).as(answer.body()).isEqualTo(200);
    }

    @Override
    public void close() {
      process.close();
    }
  }

  @Test
  void aSwitchReadsNoOtherPartOfTheConfiguration() throws Exception {
    Map<String, Integer> entries = entries("second");

    assertThat(entries.keySet())
        .contains(name(PolicyRuntime.class), name(PolicySwitcher.class))
        .doesNotContain(
            "dev.ebb.host.config.key.ConfigReader", "dev.ebb.host.runtime.ConfigValidator");
    assertThat(count(entries, "config", "units")).isLessThanOrEqualTo(14);
    assertThat(entries.values().stream().mapToInt(Integer::intValue).sum()).isLessThan(1_000);
  }

  @Test
  void aSwitchEntersFewClasses() throws Exception {
    Map<String, Integer> entries = entries("second(size=7)");

    assertThat(count(entries, "admin")).isEqualTo(2);
    assertThat(count(entries, "runtime", "rules", "switching")).isLessThanOrEqualTo(20);
    assertThat(count(entries, "plugin", "policy")).isLessThanOrEqualTo(14);
    assertThat(entries.keySet()).hasSizeLessThanOrEqualTo(100);
  }

  private static String name(Class<?> type) {
    return type.getName();
  }

  /** Returns the number of classes in some packages of the host. */
  private static long count(Map<String, Integer> entries, String... packages) {
    return entries.keySet().stream()
        .filter(each -> List.of(packages).contains(each.split("\\.", -1)[3]))
        .count();
  }

  private Map<String, Integer> entries(String policy) throws Exception {
    Class<?> type = new EntryCounter().loadClass(Switches.class.getName());
    try (AutoCloseable switches =
        (AutoCloseable) type.getConstructor(Path.class).newInstance(home)) {
      // The first switches initialize classes.
      to(switches, "second");
      to(switches, "first");
      EntryCounter.begin(PolicyRoutes.class.getName());
      to(switches, policy);
      return EntryCounter.end();
    }
  }

  private static void to(AutoCloseable switches, String policy) throws Exception {
    switches.getClass().getMethod("to", String.class).invoke(switches, policy);
  }
}
