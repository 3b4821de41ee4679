package dev.ebb.host.resp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.testing.EntryCounter;
import java.util.Map;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;

/** How many of Ebb's classes a command passes through, from its bytes to its reply. */
class CommandPathTest {

  private static final String PARSER = "dev.ebb.host.store.key.KeyParser";

  /** Runs in a class loader that counts. */
  public static final class Commands implements Callable<Map<String, Integer>> {

    private final boolean set;

    public Commands(boolean set) {
      this.set = set;
    }

    /** Returns the least of several runs: the same thread checks connections now and then. */
    @Override
    public Map<String, Integer> call() throws Exception {
      try (RunningServer server = RunningServer.of(64 << 20);
          RawClient client = new RawClient(server.port())) {
        Map<String, Integer> least = Map.of();
        for (int i = 0; i < 5; i++) {
          client.call("SET", key(i), "value");
          client.call("GET", key(i));
          EntryCounter.begin(Connection.class.getName());
          if (set) {
            client.call("SET", key(100 + i), "value");
          } else {
            client.call("GET", key(i));
          }
          Map<String, Integer> entries = EntryCounter.end();
          least = i == 0 || entries.size() < least.size() ? entries : least;
        }
        return least;
      }
    }

    private static String key(int number) {
      return "model@1@0@%04x@half".formatted(number);
    }
  }

  @Test
  void aHitEntersFewClasses() throws Exception {
    assertThat(entries(false)).hasSizeLessThanOrEqualTo(40).containsEntry(PARSER, 4);
  }

  @Test
  void aNewValueEntersFewClasses() throws Exception {
    assertThat(entries(true)).hasSizeLessThanOrEqualTo(55).containsEntry(PARSER, 4);
  }

  @SuppressWarnings("unchecked")
  private static Map<String, Integer> entries(boolean set) throws Exception {
    Class<?> commands = new EntryCounter().loadClass(Commands.class.getName());
    return ((Callable<Map<String, Integer>>)
            commands.getConstructor(boolean.class).newInstance(set))
        .call();
  }
}
