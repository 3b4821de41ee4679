package dev.ebb.host.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class TextTemplateTest {

  private record Pool(long usedBytes, double occupancy) {}

  private record Server(
      String name, @Nullable Pool pool, long hits, long lookups, boolean draining) {}

  private static final Server SERVER = new Server("a", new Pool(2048, 0.25), 100, 400, false);
  private static final Server LATER = new Server("a", new Pool(0, 0), 300, 600, true);
  private static final Server EMPTY = new Server("b\n", null, 0, 0, false);

  private static TextTemplate<Server> template(String text) {
    return TextTemplate.of(
        Server.class,
        text,
        new Computed<>("hitRatio", server -> new Ratio(server.hits(), server.lookups())));
  }

  @Test
  void showsValuesAtPathsInTheirFormats() {
    assertThat(
            template("{name}: {pool.usedBytes:bytes}, {pool.occupancy:%.0f %%}, {hits:hit|hits}")
                .line(SERVER))
        .isEqualTo("a: 2 KiB, 25 %, 100 hits");
  }

  @Test
  void showsUnknownValuesAsDashesAndNoControlCharacters() {
    assertThat(template("{name}: {pool.usedBytes:bytes}, {hitRatio:percent}").line(EMPTY))
        .isEqualTo("b?: -, -");
  }

  @Test
  void leavesOutPartsWithUnknownValuesAndLinesOfNothingElse() {
    TextTemplate<Server> template =
        template(
            """
            {name}[, {pool.usedBytes:bytes}]
            [pool {pool.occupancy:percent}]

            {hits}
            """);

    assertThat(template.lines(SERVER)).containsExactly("a, 2 KiB", "pool 25.0 %", "", "100");
    assertThat(template.lines(EMPTY)).containsExactly("b?", "", "0");
  }

  @Test
  void conditionsDecideAloneWhetherAPartIsShown() {
    TextTemplate<Server> template =
        template("[{?draining}draining][{!draining}open][{!pool}, {pool.usedBytes:bytes}]");

    assertThat(template.line(SERVER)).isEqualTo("open");
    assertThat(template.line(LATER)).isEqualTo("draining");
    assertThat(template.line(EMPTY)).isEqualTo("open, -");
  }

  @Test
  void alignsValuesRightOrLeft() {
    assertThat(template("{name,3}|{name,-3}|{hits,2:count}|").line(SERVER))
        .isEqualTo("  a|a  |100|");
  }

  @Test
  void showsGrowthSinceAnEarlierDocument() {
    TextTemplate<Server> template =
        template("{hits:rate} {hits:rated} {hitRatio:percent} {hitRatio:recent}");

    assertThat(template.lines(LATER, SERVER, 4))
        .containsExactly("50.0/s 300            50.0/s 50.0 % 100.0 %");
    assertThat(template.lines(SERVER, LATER, 4)).containsExactly("- 100 25.0 % -");
    assertThat(template.line(SERVER)).isEqualTo("- 100 25.0 % -");
  }

  @Test
  void refusesUnknownNamesAndFormats() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> template("{pool.free}"))
        .withMessageContaining("free");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> template("{name:upper}"))
        .withMessageContaining("upper");
  }

  @Test
  void columnsAreATable() {
    Columns<Server> columns =
        Columns.of(
            Server.class,
            """
             | [{?draining}*]
            NAME | {name}
            >USED | {pool.usedBytes:bytes}
            """);

    assertThat(columns.lines(List.of(SERVER, LATER)))
        .containsExactly("   NAME   USED", "   a     2 KiB", "*  a       0 B");
  }
}
