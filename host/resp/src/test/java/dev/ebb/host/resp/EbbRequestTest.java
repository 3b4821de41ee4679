package dev.ebb.host.resp;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.host.cache.index.RequestEnd;
import dev.ebb.host.config.key.PriorityScale;
import dev.ebb.host.resp.session.CommandException;
import dev.ebb.host.resp.session.Text;
import dev.ebb.host.store.key.StatedTokens;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class EbbRequestTest {

  private static EbbRequest parse(String... words) throws CommandException {
    List<byte[]> arguments = new ArrayList<>(List.of(bytes("EBB.REQUEST")));
    Arrays.stream(words).map(EbbRequestTest::bytes).forEach(arguments::add);
    return EbbRequest.parse(arguments, PriorityScale.LARGER_FIRST);
  }

  private static EbbRequest.Begin begin(String... words) throws CommandException {
    return (EbbRequest.Begin) parse(words);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static List<String> keys(EbbRequest.Begin begin) {
    return begin.keys().stream().map(Text::of).toList();
  }

  @Test
  void aTraceContextIsThatOfTheSpecification() throws CommandException {
    String context = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    assertThat(begin("BEGIN", "r", "traceparent", context, "KEYS", "a").traceparent())
        .isEqualTo(context);
    assertThat(begin("BEGIN", "r", "KEYS", "a").traceparent()).isNull();
    assertThat(begin("BEGIN", "r", "TRACEPARENT", "x".repeat(600), "KEYS", "a").traceparent())
        .isNull();
  }

  @Test
  void tokensBelongToTheFirstKeys() throws CommandException {
    String ids = "\u0001\0\0\0\u0002\0\0\0\u0003\0\0\0";
    StatedTokens tokens =
        requireNonNull(
            begin(
                    "BEGIN", "r", "CHUNK", "1", "TOKENS", ids, "ADAPTER", "sql", "SALT", "s",
                    "KEYS", "a", "b", "c", "d")
                .tokens());
    assertThat(tokens.tokens()).containsExactly(1, 2, 3);
    assertThat(tokens.keys()).extracting(Text::of).containsExactly("a", "b", "c");
    assertThat(tokens.adapter()).isEqualTo("sql");
    assertThat(tokens.salt()).isEqualTo("s");
    StatedTokens size =
        requireNonNull(begin("BEGIN", "r", "CHUNK", "256", "KEYS", "a", "b").tokens());
    assertThat(size.chunkTokens()).isEqualTo(256);
    assertThat(size.keys()).extracting(Text::of).containsExactly("a");
    assertThat(begin("BEGIN", "r", "KEYS", "a").tokens()).isNull();
    assertThatThrownBy(() -> begin("BEGIN", "r", "TOKENS", ids, "KEYS", "a"))
        .hasMessageContainingAll("TOKENS", "CHUNK");
    assertThatThrownBy(() -> begin("BEGIN", "r", "CHUNK", "0", "KEYS", "a"))
        .hasMessageContainingAll("CHUNK '0'", "1 to");
    assertThatThrownBy(() -> begin("BEGIN", "r", "CHUNK", "1", "TOKENS", "abc", "KEYS", "a"))
        .hasMessageContainingAll("'3'", "4 bytes");
  }

  @Test
  void everyOptionHasADefault() throws CommandException {
    EbbRequest.Begin begin = begin("begin", "r1", "keys", "a");
    assertThat(begin.id()).isEqualTo("r1");
    assertThat(begin.tenant()).isNull();
    assertThat(begin.priority()).isEqualTo(1);
    assertThat(begin.label()).isNull();
    assertThat(begin.hint()).isZero();
    assertThat(begin.outputTokens()).isEqualTo(-1);
    assertThat(keys(begin)).containsExactly("a");
    assertThat(begin.lifetimeNanos()).isEqualTo(-1);
    assertThat(begin.cost()).isNaN();
    RequestEnd unknown = RequestEnd.UNKNOWN;
    assertThat(begin.end()).isEqualTo(unknown);
    assertThat(parse("END", "r1"))
        .isEqualTo(new EbbRequest.End("r1", -1, -1, Double.NaN, 0, unknown));
    assertThat(parse("End", "r1", "output", "7"))
        .isEqualTo(new EbbRequest.End("r1", 7, -1, Double.NaN, 0, unknown));
    assertThat(parse("END", "r1", "COST", "0", "LIFETIME", "0.5"))
        .isEqualTo(new EbbRequest.End("r1", -1, 500_000_000, 0, 0, unknown));
    String[] shown = {"END", "r1", "return", "2.5", "FINISH", "stop", "MODEL", "m", "HINT", "3"};
    assertThat(parse(shown))
        .isEqualTo(
            new EbbRequest.End(
                "r1", -1, -1, Double.NaN, 3, new RequestEnd("stop", "m", 2_500_000_000L)));
  }

  @ParameterizedTest
  @CsvSource({"PRIORITY -4 KEYS a, 4", "PRIORITY 1 KEYS a, 0", "PRIORITY 0 KEYS a, 1", "KEYS a, 1"})
  void aSmallerPriorityCanBeMoreImportant(String words, int priority) throws CommandException {
    List<byte[]> arguments = new ArrayList<>();
    for (String word : ("EBB.REQUEST BEGIN r " + words).split(" ", -1)) {
      arguments.add(bytes(word));
    }
    EbbRequest.Begin begin =
        (EbbRequest.Begin) EbbRequest.parse(arguments, new PriorityScale(-1, 3));
    assertThat(begin.priority()).isEqualTo(priority);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5})
  void optionsComeInAnyOrderAndCase(int seed) throws CommandException {
    Random random = new Random(seed);
    for (int round = 0; round < 50; round++) {
      List<String> options =
          new ArrayList<>(
              List.of(
                  "TENANT ann",
                  "PRIORITY -3",
                  "LABEL agent",
                  "HINT 9",
                  "OUTPUT 100",
                  "LIFETIME 1000000000",
                  "COST 12.25"));
      Collections.shuffle(options, random);
      List<String> words = new ArrayList<>(List.of("BEGIN", "r"));
      options.forEach(option -> {
        String[] both = option.split(" ", -1);
        words.add(random.nextBoolean() ? both[0].toLowerCase(Locale.ROOT) : both[0]);
        words.add(both[1]);
      });
      words.addAll(List.of("KEYS", "a", "b"));
      EbbRequest.Begin begin = begin(words.toArray(String[]::new));
      assertThat(begin.tenant()).isEqualTo("ann");
      assertThat(begin.priority()).isEqualTo(-3);
      assertThat(begin.label()).isEqualTo("agent");
      assertThat(begin.hint()).isEqualTo(9);
      assertThat(begin.outputTokens()).isEqualTo(100);
      assertThat(begin.lifetimeNanos()).isEqualTo(1_000_000_000_000_000_000L);
      assertThat(begin.cost()).isEqualTo(12.25);
      assertThat(keys(begin)).containsExactly("a", "b");
    }
  }

  @Test
  void everythingAfterKeysIsAKey() throws CommandException {
    EbbRequest.Begin begin =
        begin("BEGIN", "KEYS", "TENANT", "KEYS", "KEYS", "KEYS", "TENANT", "", "KEYS", "a");
    assertThat(begin.id()).isEqualTo("KEYS");
    assertThat(begin.tenant()).isEqualTo("KEYS");
    assertThat(keys(begin)).containsExactly("KEYS", "TENANT", "", "KEYS", "a");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "BEGIN | wrong number | 'ebb.request'",
        "BEGIN r | KEYS | at least one key",
        "BEGIN r KEYS | KEYS | at least one key",
        "BEGIN r TENANT KEYS a | KEYS | at least one key",
        "BEGIN r TENANT t a b | KEYS | at least one key",
        "BEGIN r TENNANT t KEYS a | 'TENNANT' | TENANT",
        "BEGIN r TENANT a TENANT b KEYS a | TENANT | twice",
        "BEGIN r PRIORITY high KEYS a | PRIORITY 'high' | -2147483648 to 2147483647",
        "BEGIN r PRIORITY 2147483648 KEYS a | PRIORITY '2147483648' | 2147483647",
        "BEGIN r HINT 1.5 KEYS a | HINT '1.5' | whole number",
        "BEGIN r TTL 9 KEYS a | 'TTL' | TENANT, PRIORITY, LABEL, HINT, INPUT, MAXOUTPUT, OUTPUT",
        "BEGIN r MAXOUTPUT 9 KEYS a | MAXOUTPUT '9' | INPUT",
        "BEGIN r LIFETIME -1 KEYS a | LIFETIME '-1' | seconds from 0 to 1000000000",
        "BEGIN r LIFETIME 1000000000.1 KEYS a | LIFETIME '1000000000.1' | from 0 to 1000000000",
        "BEGIN r LIFETIME 1e3 KEYS a | LIFETIME '1e3' | 2.5",
        "BEGIN r COST NaN KEYS a | COST 'NaN' | milliseconds from 0 to 1000000000",
        "BEGIN r COST .5 KEYS a | COST '.5' | 2.5",
        "BEGIN r COST 1 COST 2 KEYS a | COST | twice",
        "BEGIN r OUTPUT -1 KEYS a | OUTPUT '-1' | 0 to",
        "BEGIN r PRIORITY 2 | KEYS | at least one key",
        "BEGIN r KEYS | no key after KEYS | at least one",
        "END r KEYS | 'KEYS' | OUTPUT",
        "END r OUTPUT | OUTPUT | without a value",
        "END r TENANT t | 'TENANT' | OUTPUT, LIFETIME, COST",
        "END r LIFETIME x | LIFETIME 'x' | seconds",
        "END r RETURN -1 | RETURN '-1' | seconds from 0 to 1000000000",
        "BEGIN r FINISH stop KEYS a | 'FINISH' | MODEL, RETURN",
        "STOP r | 'STOP' | BEGIN, END",
      })
  void mistakesAreNamed(String command, String what, String remedy) {
    assertThatThrownBy(() -> parse(command.split(" ", -1)))
        .isInstanceOf(CommandException.class)
        .hasMessageStartingWith("ERR ")
        .hasMessageContainingAll(what, remedy);
  }

  @Test
  void namesAreShortTexts() {
    for (String wrong : List.of("", " ", "x".repeat(65))) {
      assertThatThrownBy(() -> parse("END", wrong))
          .hasMessageContainingAll("id '" + wrong + "'", "64");
      assertThatThrownBy(() -> parse("BEGIN", "r", "LABEL", wrong, "KEYS", "a"))
          .hasMessageContainingAll("LABEL '" + wrong + "'", "64");
    }
    byte[] notText = {(byte) 0xFF};
    assertThatThrownBy(() ->
            EbbRequest.parse(
                List.of(bytes("x"), bytes("END"), notText), PriorityScale.LARGER_FIRST))
        .isInstanceOf(CommandException.class)
        .hasMessageContaining("UTF-8");
  }

  /** Whatever a client sends, the answer is a request or an error for the client. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void anyWordsAreParsedOrRefused(int seed) {
    Random random = new Random(seed);
    List<String> words =
        List.of(
            "BEGIN",
            "END",
            "KEYS",
            "TENANT",
            "PRIORITY",
            "OUTPUT",
            "",
            "1",
            "-1",
            "LIFETIME",
            "COST",
            "1.5",
            "1e400",
            "x",
            "a b",
            "\u00e9");
    int parsed = 0;
    for (int i = 0; i < 20_000; i++) {
      String[] command = new String[random.nextInt(9)];
      Arrays.setAll(command, each -> words.get(random.nextInt(words.size())));
      if (command.length > 0 && random.nextBoolean()) {
        command[0] = "BEGIN";
      }
      try {
        EbbRequest request = parse(command);
        assertThat(request.id()).isNotBlank();
        if (request instanceof EbbRequest.Begin begin) {
          assertThat(begin.keys()).isNotEmpty();
        }
        parsed++;
      } catch (CommandException refused) {
        assertThat(refused.reply()).startsWith("ERR ");
      }
    }
    assertThat(parsed).isPositive();
  }
}
