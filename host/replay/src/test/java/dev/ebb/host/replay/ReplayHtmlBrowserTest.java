package dev.ebb.host.replay;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.replay.suite.SuiteJson;
import dev.ebb.host.replay.suite.SuiteRanking;
import dev.ebb.host.testing.NarrowPage;
import dev.ebb.host.testing.Tab;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Opens pages in a headless browser and looks at what its scripts made of them. */
class ReplayHtmlBrowserTest {

  /** The width of a phone in pixels. */
  private static final int PHONE = 390;

  @RegisterExtension static final Tab tab = new Tab();

  @TempDir private Path directory = Path.of("");

  @Test
  void drawsChartsAndTablesOfEveryTrace() throws IOException {
    String dom =
        open(
            ReplayHtmlSamples.report("chat", List.of("lru", "arc", "sieve"), List.of(100L, 2_000L)),
            ReplayHtmlSamples.stream("stream", "offered a gone entry"));

    assertThat(dom).contains("data-ready=\"true\"").doesNotContain("data-error=");
    // Two line charts for the first trace; a single capacity needs one only.
    assertThat(count(dom, "<canvas")).isEqualTo(3);
    assertThat(count(dom, "class=\"bar\"")).isEqualTo(3 + 1);
    // A row for each of 3 * 2 and 2 runs, and for each of 2 and 1 capacities.
    assertThat(count(dom, "scope=\"row\"")).isEqualTo(3 * 2 + 2 + 2 + 1);
    assertThat(dom)
        .contains("sieve is best at both capacities.")
        .contains("stopped after 1,000 requests: offered a gone entry")
        .contains("The optimum is unknown");
  }

  @Test
  void aTraceWithoutBlocksIsNotCalledAFailure() throws IOException {
    String dom = open(ReplayHtmlSamples.empty("empty"));

    assertThat(dom)
        .contains("data-ready=\"true\"", ">No request of this trace has a block")
        .doesNotContain("data-error=", ">Every run failed", ">all failed<", "1 blocks");
  }

  @Test
  void aFailedTraceIsListedWithTheOthers() throws IOException {
    String dom =
        open(
            ReplayHtmlSamples.report("chat", List.of("lru"), List.of(100L)),
            ReplayReport.failed("bad.jsonl", ReplayModel.PREFIX, "bad.jsonl:4: is cut off"));

    assertThat(dom)
        .contains("data-ready=\"true\"", "could not be replayed: bad.jsonl:4: is cut off")
        .doesNotContain("data-error=");
    // The legend's are not counted: a chart by capacity needs two capacities, so one is left.
    assertThat(count(dom, "<canvas")).isEqualTo(1);
  }

  @Test
  void manyPoliciesHaveDistinctLines() throws IOException {
    List<String> policies =
        Stream.iterate(0, i -> i + 1).limit(12).map(i -> "policy-" + i).toList();
    String dom = open(ReplayHtmlSamples.report("chat", policies, List.of(100L)));

    assertThat(dom).contains("data-ready=\"true\"").doesNotContain("data-error=");
    String legend = dom.substring(dom.indexOf("id=\"legend\""), dom.indexOf("<main"));
    List<String> looks =
        Pattern.compile("(?s)<svg.*?</svg>").matcher(legend).results().map(m -> m.group()).toList();
    assertThat(looks).hasSize(policies.size() + 1).doesNotHaveDuplicates();
  }

  @Test
  void aPolicyHasTheSameColourOnEveryPage() throws IOException {
    List<Long> capacities = List.of(100L, 200L);
    String one =
        open(ReplayHtmlSamples.report("chat", List.of("mine", "lru", "sieve"), capacities));
    String other = open(ReplayHtmlSamples.report("chat", List.of("sieve", "mine"), capacities));

    assertThat(colour(one, "sieve")).isEqualTo(colour(other, "sieve")).isEqualTo("--line-2");
    assertThat(colour(one, "mine")).isEqualTo(colour(other, "mine"));
    assertThat(Set.of(colour(one, "mine"), colour(one, "lru"), colour(one, "sieve"))).hasSize(3);
  }

  private static String colour(String dom, String policy) {
    int name = dom.indexOf(">" + policy + "<");
    int at = dom.lastIndexOf("--colour: var(", name) + "--colour: var(".length();
    return dom.substring(at, dom.indexOf(')', at));
  }

  @Test
  void theLegendNamesCandidatesAndPoliciesWithTheSameLine() throws IOException {
    String dom =
        opened(
            ReplayHtml.writeComparison(
                List.of(ReplayHtmlSamples.twins("t")), Set.of("mine"), "[]"));

    assertThat(dom)
        .contains("data-ready=\"true\"", "mine (candidate) = lru")
        .doesNotContain("data-error=", "arc (candidate)", "arc =");
  }

  @Test
  void aColumnWithoutValuesIsHidden() throws IOException {
    String dom = open(ReplayHtmlSamples.twins("t"));

    assertThat(dom)
        .contains("data-ready=\"true\"", ">evictions</button>")
        .doesNotContain(">fairness</button>", ">failure</button>");
  }

  @Test
  void theObjectGroupsOfHybridModelsHaveColumns() throws IOException {
    String dom = open(ReplayHtmlSamples.hybrid("t"));

    assertThat(dom)
        .contains("data-ready=\"true\"", ">by group</button>", "<td>25.0%, 75.0%</td>")
        .contains(">thinned</button>", "<td>4,321</td>", ">unusable</button>", "<td>17</td>")
        .doesNotContain("data-error=", "NaN");
    assertThat(open(ReplayHtmlSamples.twins("t"))).doesNotContain(">by group</button>");
  }

  @Test
  void theSpreadOfSeveralSeedsHasColumns() throws IOException {
    String dom = open(ReplayHtmlSamples.seeds("t"));

    assertThat(dom)
        .contains("data-ready=\"true\"", ">min to max</button>", "<td>19.00% to 21.00%</td>")
        .contains("<td>same</td>", "<dt>seeds</dt><dd>3</dd>")
        .doesNotContain("data-error=");
    assertThat(open(ReplayHtmlSamples.twins("t"))).doesNotContain(">min to max</button>");
  }

  @Test
  void aTieIsReportedAsATie() throws IOException {
    String dom = open(ReplayHtmlSamples.hairsBreadth("t"));

    assertThat(dom)
        .contains(
            "No policy is best everywhere: arc leads at 1 of 2 capacities and 1 capacity is tied.",
            "At 1 of 2 capacities no policy is better than LRU.",
            "title=\"lru and mine\"")
        .doesNotContain("arc is best");
  }

  @Test
  void aComparisonShowsTheResultOfEachCandidate() throws IOException {
    String memory =
        "[{\"policy\":\"mine\",\"bytesPerEntry\":88.4,\"bytesPerEntryTurnedOver\":null}]";
    String dom =
        opened(
            ReplayHtml.writeComparison(
                List.of(ReplayHtmlSamples.hairsBreadth("t")), Set.of("mine"), memory));

    assertThat(dom)
        .contains("<title>Ebb plugins bench: t</title>", "<h1>Ebb <span>plugins bench</span></h1>")
        .containsPattern(
            "<li>mine: exactly as good as LRU at 2%, worse at 4% \\(-20\\.\\d points\\);"
                + " 1st and 3rd of 3</li>")
        .containsPattern("(?s)<h2>Memory per entry</h2>.*<td>88</td><td>–</td>")
        // Its share of the gap is -181.82%.
        .contains("&lt; −100%")
        .doesNotContain("181.8");
    // A row for each of two capacities, and one of memory.
    assertThat(count(dom, "<tr class=\"candidate\"")).isEqualTo(2 + 1);
  }

  @Test
  void aReplayShowsNoCandidatesAndNoMemory() throws IOException {
    String dom = open(ReplayHtmlSamples.twins("t"));

    assertThat(dom)
        .contains("<title>Ebb replay: t</title>")
        .containsPattern("class=\"results\" data-part=\"results\" hidden")
        .containsPattern("id=\"memory\" hidden");
    assertThat(count(dom, "class=\"candidate\"")).isZero();
  }

  @Test
  void aSuiteStartsWithItsRanking() throws IOException {
    List<ReplayReport> reports =
        List.of(
            ReplayHtmlSamples.report("chat", List.of("lru", "arc"), List.of(100L, 2_000L)),
            ReplayHtmlSamples.hairsBreadth(ReplayHtmlSamples.HOSTILE));
    String dom =
        opened(
            ReplayHtml.writeSuite(
                reports,
                SuiteJson.writeRanking(ReplayHtmlSamples.HOSTILE, SuiteRanking.of(reports))));

    assertThat(dom)
        .contains("data-ready=\"true\"", "is best: its mean rank in ")
        .contains("&lt;/script&gt;&lt;img src=x onerror=alert(1)&gt;")
        .containsPattern("(?s)<section class=\"trace\" id=\"ranking\">")
        .doesNotContain("data-error=", "<img");
    assertThat(count(dom, "<td class=\"lost\"")).isPositive();
  }

  @Test
  void hostileNamesAreOnlyText() throws IOException {
    String dom =
        open(
            ReplayHtmlSamples.report(
                ReplayHtmlSamples.HOSTILE,
                List.of("lru", ReplayHtmlSamples.HOSTILE),
                List.of(100L, 200L)));

    assertThat(dom)
        .contains("data-ready=\"true\"")
        .doesNotContain("data-error=", "<img")
        .contains("&lt;/script&gt;&lt;img src=x onerror=alert(1)&gt;");
  }

  @Test
  void aPhoneShowsAllLinesAndWhichTablesScroll() throws IOException {
    List<String> policies =
        Stream.iterate(0, i -> i + 1).limit(20).map(i -> "a-long-policy-name-" + i).toList();
    String memory =
        "[{\"policy\":\"%s\",\"bytesPerEntry\":88.4,\"bytesPerEntryTurnedOver\":90}]"
            .formatted("a-long-policy-name-3");
    List<ReplayReport> reports =
        List.of(
            ReplayHtmlSamples.report("a".repeat(80), policies, List.of(100L, 2_000L)),
            ReplayHtmlSamples.report("chat", policies, List.of(100L)));
    tab.size(PHONE, 844);
    try {
      opened(ReplayHtml.writeComparison(reports, Set.of(policies.getFirst()), memory));
      assertThat(NarrowPage.cutOff(tab, PHONE)).isEmpty();
      assertThat(tab.value("boxes.some(each => each.querySelector('.runs'))").booleanValue())
          .isTrue();

      opened(
          ReplayHtml.writeSuite(
              reports, SuiteJson.writeRanking("suite", SuiteRanking.of(reports))));
      assertThat(NarrowPage.cutOff(tab, PHONE)).isEmpty();
    } finally {
      tab.size(1280, 900);
    }
  }

  /** The page's elements as they are after its scripts ran. */
  private String open(ReplayReport... reports) throws IOException {
    return opened(ReplayHtml.write(List.of(reports)));
  }

  private String opened(String html) throws IOException {
    Path page = Files.writeString(directory.resolve("page.html"), html);
    tab.go(page.toUri().toString());
    tab.until("document.querySelector('[data-ready], [data-error]')");
    return tab.html();
  }

  private static long count(String text, String part) {
    return Pattern.compile(part, Pattern.LITERAL).matcher(text).results().count();
  }
}
