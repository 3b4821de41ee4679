package dev.ebb.host.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HttpUrlTest {

  @ParameterizedTest
  @ValueSource(strings = {"http://h:1", "http://h:1/", "http://h:1/v1", "http://h:1/v1/"})
  void theUrlOfAServerHasNoPath(String text) {
    assertThat(HttpUrl.server(text)).contains(URI.create("http://h:1"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "h:1",
        "ftp://h",
        "http://",
        "http://h:65536",
        "http://u@h",
        "http://h#f",
        "http://h i"
      })
  void otherTextsAreNoUrl(String text) {
    assertThat(HttpUrl.parse(text)).isEmpty();
    assertThat(HttpUrl.server(text)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"https://h/v1/traces", "http://h?a=b", "HTTPS://h/a"})
  void onlyAServerNeedsTheRoot(String text) {
    assertThat(HttpUrl.parse(text)).contains(URI.create(text));
    assertThat(HttpUrl.server(text)).isEmpty();
  }
}
