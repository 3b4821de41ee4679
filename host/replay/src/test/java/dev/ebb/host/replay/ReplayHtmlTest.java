package dev.ebb.host.replay;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class ReplayHtmlTest {

  private static final Pattern SCRIPT =
      Pattern.compile("<script([^>]*)>(.*?)</script>", Pattern.DOTALL);
  private static final Pattern STYLE = Pattern.compile("<style>(.*?)</style>", Pattern.DOTALL);

  private final ReplayReport plain =
      ReplayHtmlSamples.report("chat", List.of("lru", "arc"), List.of(100L, 1_000L));

  @Test
  void refersToNothingOutsideItself() {
    String page = ReplayHtml.write(List.of(plain));
    String withoutComments =
        page.replaceAll("(?s)<!--.*?-->", "").replace("https://github.com/leeoniya/uPlot", "");

    assertThat(withoutComments).doesNotContainPattern("(?i)https?://|\"//|url\\(|@import");
    assertThat(withoutComments).doesNotContainPattern("(?i)\\ssrc\\s*=|fetch\\(|XMLHttpRequest");
    assertThat(Pattern.compile("href=\"([^\"]*)\"").matcher(page).results().map(m -> m.group(1)))
        .containsOnly("data:,");
  }

  @Test
  void fillsEveryPlaceOfTheTemplate() {
    assertThat(ReplayHtml.write(List.of(plain)))
        .startsWith("<!doctype html>")
        .doesNotContain("{{")
        .contains("Permission is hereby granted", "Copyright (c) 2022 Leon Sorokin");
  }

  @Test
  void embedsTheReportsAsTheyAre() {
    String page = ReplayHtml.write(List.of(plain, ReplayHtmlSamples.stream("stream", "too slow")));

    assertThat(data(page))
        .containsExactly(
            ReplayJson.write(List.of(plain), true, Set.of()),
            ReplayJson.write(
                List.of(ReplayHtmlSamples.stream("stream", "too slow")), true, Set.of()));
  }

  @Test
  void hostileNamesStayInsideTheData() {
    ReplayReport hostile =
        ReplayHtmlSamples.report(
            ReplayHtmlSamples.HOSTILE, List.of("lru", "<b>{{scripts}}$1\\</b>"), List.of(100L));
    String page = ReplayHtml.write(List.of(hostile));

    assertThat(page).doesNotContain("<img", "<b>", ReplayHtmlSamples.HOSTILE);
    assertThat(count(page, "<script"))
        .isEqualTo(count(ReplayHtml.write(List.of(plain)), "<script"));
    assertThat(data(page)).singleElement().asString().contains("\\u003c/script>");
    assertThat(ReplayHtml.writeComparison(List.of(hostile), Set.of("lru"), "[\"</script><img>\"]"))
        .doesNotContain("<img")
        .contains("[\"\\u003c/script>");
    assertThat(data(page).getFirst().replace("\\u003c", "<"))
        .isEqualTo(ReplayJson.write(List.of(hostile), true, Set.of()));
  }

  @Test
  void admitsExactlyItsOwnScriptsAndStyles() throws Exception {
    String page = ReplayHtml.write(List.of(plain));
    Matcher policy =
        Pattern.compile("Content-Security-Policy\" content=\"([^\"]*)\"").matcher(page);
    assertThat(policy.find()).isTrue();

    assertThat(policy.group(1)).contains("default-src 'none'").doesNotContain("unsafe", "http");
    List<String> admitted =
        Pattern.compile("'sha256-[^']*'")
            .matcher(policy.group(1))
            .results()
            .map(MatchResult::group)
            .toList();
    List<String> present = new ArrayList<>();
    for (MatchResult style : STYLE.matcher(page).results().toList()) {
      present.add(hash(style.group(1)));
    }
    for (MatchResult script : SCRIPT.matcher(page).results().toList()) {
      if (script.group(1).isEmpty()) {
        present.add(hash(script.group(2)));
      }
    }
    assertThat(present).isNotEmpty().containsExactlyElementsOf(admitted);
  }

  @Test
  void neverReadsTextAsMarkup() {
    String page = ReplayHtml.write(List.of(plain));
    int own = page.indexOf("function showProblem");

    assertThat(own).isPositive();
    assertThat(page.substring(own))
        .doesNotContain("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(");
  }

  private static List<String> data(String page) {
    return SCRIPT
        .matcher(page)
        .results()
        .filter(script -> script.group(1).contains("application/json"))
        .map(script -> script.group(2))
        .toList();
  }

  private static long count(String text, String part) {
    return Pattern.compile(part, Pattern.LITERAL).matcher(text).results().count();
  }

  private static String hash(String text) throws Exception {
    byte[] digest =
        MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
    return "'sha256-" + Base64.getEncoder().encodeToString(digest) + "'";
  }
}
