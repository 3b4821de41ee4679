package dev.ebb.host.cli.options;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

class OptionValuesTest {

  enum Order {
    FIRST_IN,
    LAST_IN;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
  }

  static final class Group {
    @Option(names = "--order", description = "${COMPLETION-CANDIDATES}")
    private Order order = Order.LAST_IN;
  }

  @Command(name = "below")
  static final class Below implements Runnable {
    @ArgGroup(exclusive = false)
    private Group group = new Group();

    @Option(names = "--orders", split = ",")
    private List<Order> orders = new ArrayList<>();

    @Option(names = "--count")
    private long count;

    @Override
    public void run() {}
  }

  @Command(name = "above", subcommands = Below.class)
  static final class Above {}

  @Test
  void enumsAreTheirWordsInAnyCaseInGroupsListsAndSubcommands() {
    Below below = parse("--order", "First-In", "--orders", "last-in,first-in", "--count", "1_000");

    assertThat(below.group.order).isEqualTo(Order.FIRST_IN);
    assertThat(below.orders).containsExactly(Order.LAST_IN, Order.FIRST_IN);
    assertThat(below.count).isEqualTo(1000);
  }

  @ParameterizedTest
  @CsvSource({
    "--order, first_in, 'first-in, last-in'",
    "--orders, x, 'first-in, last-in'",
    "--count, many, a whole number"
  })
  void aWrongValueNamesTheAllowedOnes(String option, String value, String allowed) {
    assertThatExceptionOfType(ParameterException.class)
        .isThrownBy(() -> parse(option, value))
        .withMessageContainingAll(option, "'" + value + "'", allowed);
  }

  @Test
  void helpListsTheWords() {
    CommandLine root = OptionValues.register(new CommandLine(new Above()));

    assertThat(requireNonNull(root.getSubcommands().get("below")).getUsageMessage())
        .contains("first-in, last-in");
  }

  private static Below parse(String... arguments) {
    CommandLine root = OptionValues.register(new CommandLine(new Above()));
    List<String> all = new ArrayList<>(List.of("below"));
    all.addAll(List.of(arguments));
    root.parseArgs(all.toArray(String[]::new));
    return requireNonNull(root.getSubcommands().get("below")).getCommand();
  }
}
