package dev.ebb.host.enginebench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.enginebench.EngineResult.Fault;
import dev.ebb.host.enginebench.EngineResult.Sample;
import dev.ebb.host.enginebench.EngineResult.Source;
import dev.ebb.host.enginebench.EngineResult.Tenant;
import dev.ebb.host.enginebench.EngineResult.Tokens;
import dev.ebb.host.testing.NarrowPage;
import dev.ebb.host.testing.Tab;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Opens pages in a headless browser and looks at what its scripts made of them. */
class EngineHtmlTest {

  @RegisterExtension static final Tab tab = new Tab();

  @TempDir private Path directory = Path.of("");

  private static EngineResult result(Tokens tokens, List<Sample> samples) {
    Histogram times = new Histogram(3);
    samples.forEach(sample -> times.recordValue((long) (sample.firstTokenMillis() * 1e6)));
    return new EngineResult(
        "http://127.0.0.1:8000",
        "</script><b>model",
        EngineTarget.Api.CHAT,
        "synthetic chat",
        new EngineLoad.Clients(8),
        20,
        samples.size() + 3,
        samples.size(),
        0,
        0,
        tokens,
        1,
        times,
        times,
        times,
        List.of(new Tenant("a", 10, 1000, 600, 12), new Tenant("b", 10, 1000, 300, 24)),
        List.of(new Fault("HTTP 429", 3, "too <busy>")),
        null,
        null,
        samples);
  }

  private String open(EngineResult result) throws IOException {
    Path page = directory.resolve("page.html");
    Files.writeString(page, EngineText.html(result));
    tab.go(page.toUri().toString());
    tab.until("document.body.dataset.ready === 'true'");
    return tab.html();
  }

  @Test
  void drawsChartsAndTables() throws IOException {
    List<Sample> samples =
        IntStream.range(0, 200)
            .mapToObj(i -> new Sample(i / 10.0, i / 10.0 + 1, 20 + i % 7, 100, i % 2 * 64, 30))
            .toList();
    String dom = open(result(new Tokens(20_000, 6_400, Source.USAGE, 6_000, false), samples));

    assertThat(dom)
        .doesNotContain("data-error=")
        .contains("20,000", "13,600", "6,400", "32.0%", "HTTP 429", "too &lt;busy&gt;")
        .contains("&lt;/script&gt;&lt;b&gt;model")
        .doesNotContain("<b>model");
    assertThat(dom.split("<canvas", -1)).hasSize(3);
    assertThat(tab.text("#legend")).contains("prefilled", "reused", "generated");
    assertThat(tab.text("#fairness")).contains("0.900");
    tab.size(390, 844);
    assertThat(NarrowPage.cutOff(tab, 390)).isEmpty();
    assertThat(tab.complaints()).isEmpty();
  }

  @Test
  void aPageWithoutAnswersHasNoCharts() throws IOException {
    String dom =
        open(result(new Tokens(Double.NaN, Double.NaN, Source.NOT_REPORTED, 0, true), List.of()));

    assertThat(dom).doesNotContain("data-error=", "<canvas").contains("not reported");
    assertThat(tab.complaints()).isEmpty();
  }
}
