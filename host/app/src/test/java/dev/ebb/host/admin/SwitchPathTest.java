package dev.ebb.host.admin;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Map;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How much code a policy switch by {@code PUT /api/v1/policy} runs. */
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
  void aSwitchReadsNoOtherPartOfTheConfiguration() throws ReflectiveOperationException {
    Map<String, Integer> entries = entries("second");

    System.out.println(entries);
  }

  private Map<String, Integer> entries(String policy) throws ReflectiveOperationException {
    Class<?> type = new EntryCounter().loadClass(Switches.class.getName());
    try (AutoCloseable switches =
        (AutoCloseable) type.getConstructor(Path.class).newInstance(home)) {
      // The first switches initialize classes.
      to(switches, policy);
      to(switches, "first");
      EntryCounter.begin(PolicyRoutes.class.getName());
      to(switches, policy);
      return EntryCounter.end();
    } catch (ReflectiveOperationException failed) {
      throw failed;
    } catch (Exception failed) {
      throw new AssertionError(failed);
    }
  }

  private static void to(AutoCloseable switches, String policy)
      throws ReflectiveOperationException {
    switches.getClass().getMethod("to", String.class).invoke(switches, policy);
  }
}
