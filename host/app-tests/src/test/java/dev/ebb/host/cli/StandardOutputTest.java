package dev.ebb.host.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class StandardOutputTest {

  @Test
  void aClosedReaderIsDistinguishedFromAFullDisk() {
    assertThat(after("Broken pipe").readerGone()).isTrue();
    assertThat(after("No space left on device").readerGone()).isFalse();
  }

  private static StandardOutput after(String failure) {
    StandardOutput output =
        new StandardOutput(
            new OutputStream() {
              @Override
              public void write(int value) throws IOException {
                throw new IOException(failure);
              }
            });
    PrintWriter writer = new PrintWriter(output, false, StandardCharsets.UTF_8);
    writer.println("text");
    assertThat(writer.checkError()).isTrue();
    return output;
  }
}
