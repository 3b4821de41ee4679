package dev.ebb.host.errors;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import org.junit.jupiter.api.Test;

class UntrustedTextTest {

  /** Every method of it throws, or leads back to it. */
  private static final class Hostile extends RuntimeException {
    private static final long serialVersionUID = 1L;

    @Override
    public String getMessage() {
      throw new Hostile();
    }

    @Override
    public StackTraceElement[] getStackTrace() {
      throw new Hostile();
    }

    @Override
    public synchronized Throwable getCause() {
      return this;
    }
  }

  @Test
  void aLineIsShortAndHasNoControlCharacters() {
    assertThat(UntrustedText.line("plain, ä, 漢")).isEqualTo("plain, ä, 漢");
    assertThat(UntrustedText.line("a\r\nb\tc\u2028d")).isEqualTo("a  b c d");
    assertThat(UntrustedText.line("\u001b[2J\0\u202e\u0085"))
        .isEqualTo("\uFFFD[2J\uFFFD\uFFFD\uFFFD");
    assertThat(UntrustedText.line("x".repeat(500))).hasSize(500);
    assertThat(UntrustedText.line("x".repeat(501))).isEqualTo("x".repeat(500) + "...");
  }

  @Test
  void aStackNamesEveryCauseAndItsPlace() {
    Throwable thrown = new IllegalStateException("outer\nforged", new Error("inner"));

    assertThat(UntrustedText.stack(thrown))
        .startsWith("java.lang.IllegalStateException: outer forged" + System.lineSeparator())
        .contains("\tat dev.ebb.host.errors.UntrustedTextTest.")
        .contains("Caused by: java.lang.Error: inner" + System.lineSeparator());
  }

  @Test
  void aStackIsBounded() {
    Throwable thrown = new Error("x".repeat(1_000_000));
    for (int i = 0; i < 100; i++) {
      thrown = new Error("y".repeat(100_000), thrown);
    }
    StackTraceElement frame = new StackTraceElement("z".repeat(100_000) + "\n", "m", "f", 1);
    StackTraceElement[] frames = new StackTraceElement[1_000];
    Arrays.fill(frames, frame);
    thrown.setStackTrace(frames);

    assertThat(UntrustedText.stack(thrown)).hasSizeLessThan(30_000);
  }

  @Test
  void anExceptionThatThrowsIsReported() {
    assertThat(UntrustedText.of(new Hostile())).isEqualTo(Hostile.class.getName());
    assertThat(UntrustedText.stack(new Hostile()))
        .contains(Hostile.class.getName())
        .hasLineCount(8);
  }
}
