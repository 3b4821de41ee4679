package dev.ebb.host.cli.trace;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class TraceNamesTest {

  @Test
  void aFileIsCalledByItsName() {
    assertThat(TraceNames.of(List.of("/a/x.jsonl", "b/y.jsonl", "-")).values())
        .containsExactly("x.jsonl", "y.jsonl", "stdin");
  }

  @Test
  void filesOfOneNameAreDistinguishedByTheFewestFolders() {
    assertThat(TraceNames.of(List.of("/a/1/x", "/b/1/x", "/a/2/x", "/y", "/a/2/../1/x")).values())
        .containsExactly("a/1/x", "b/1/x", "2/x", "y");
    assertThat(TraceNames.of(List.of("/x", "/a/x")).values()).containsExactly("/x", "a/x");
  }
}
