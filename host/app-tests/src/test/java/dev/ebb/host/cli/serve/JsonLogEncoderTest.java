package dev.ebb.host.cli.serve;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.LoggingEvent;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

class JsonLogEncoderTest {

  private final LoggerContext context = new LoggerContext();

  private JsonNode line(@Nullable Throwable thrown, String message, Object... arguments) {
    Logger logger = context.getLogger("dev.ebb.Example");
    LoggingEvent event =
        new LoggingEvent(Logger.class.getName(), logger, Level.WARN, message, thrown, arguments);
    event.setInstant(Instant.parse("2026-11-21T17:02:11.123456Z"));
    String text = new String(JsonLogEncoder.encode(event), StandardCharsets.UTF_8);
    assertThat(text).endsWith("\n").containsOnlyOnce("\n");
    return new ObjectMapper().readTree(text);
  }

  @Test
  void anEventIsAnObjectOnOneLine() {
    JsonNode line = line(null, "a \"quoted\" {}\nsecond line \u2028 \u00e4 \u0007", "text");

    assertThat(line.propertyNames()).containsExactly("time", "level", "logger", "message");
    assertThat(line.get("time").asString()).isEqualTo("2026-11-21T17:02:11.123456Z");
    assertThat(line.get("level").asString()).isEqualTo("WARN");
    assertThat(line.get("logger").asString()).isEqualTo("dev.ebb.Example");
    assertThat(line.get("message").asString())
        .isEqualTo("a \"quoted\" text\nsecond line \u2028 \u00e4 \u0007");
  }

  @Test
  void anErrorHasItsStack() {
    JsonNode error =
        requireNonNull(
            line(new IllegalStateException("outer", new Exception("inner")), "failed")
                .get("error"));

    assertThat(error.get("class").asString()).isEqualTo("java.lang.IllegalStateException");
    assertThat(error.get("message").asString()).isEqualTo("outer");
    assertThat(error.get("stack").asString())
        .contains("java.lang.IllegalStateException: outer", "anErrorHasItsStack", "inner");
  }
}
