package dev.ebb.host.replay.fit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.testing.NarrowPage;
import dev.ebb.host.testing.Tab;
import dev.ebb.host.trace.synthetic.SyntheticTrace.Shape;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

class FitHtmlBrowserTest {

  @RegisterExtension static final Tab tab = new Tab();

  @TempDir private Path folder = Path.of("");

  @Test
  void drawsBothTraces() throws IOException {
    ProfileFitter.Fit fit = FittedTraceTest.fit(Shape.CHAT);
    Path page =
        Files.writeString(
            folder.resolve("fit.html"), FitHtml.write(FitReport.of("</script>a", fit, fit)));
    tab.go(page.toUri().toString());
    tab.until("document.querySelector('[data-ready], [data-error]')");
    String dom = tab.html();

    assertThat(dom)
        .contains("data-ready=\"true\"", "&lt;/script&gt;a", ">recorded<", ">generated<")
        .doesNotContain("data-error=");
    assertThat(dom.split("<canvas", -1)).hasSize(3);
    assertThat(dom.split("scope=\"row\"", -1)).hasSize(1 + 7 + 7);
    tab.size(390, 844);
    assertThat(NarrowPage.cutOff(tab, 390)).isEmpty();
  }
}
