package dev.ebb.host.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.ebb.host.login.FailedLogins;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.slf4j.LoggerFactory;

@Isolated("reads the log of all failed logins in this JVM")
class LoginLogTest {

  @Test
  void aFailedLoginIsLoggedWithItsUserAsShortHarmlessText() {
    assertThat(logged("ann")).contains("user='ann'", "remote=1.2.3.4");
    assertThat(logged("ann\nERROR forged \u001b[2J"))
        .doesNotContain("\n", "\u001b")
        .contains("user='ann ERROR forged");
    assertThat(logged("a".repeat(1_000_000))).hasSizeLessThan(300).contains("aaa...'");
    assertThat(logged("")).doesNotContain("user=");
  }

  private static String logged(String name) {
    Logger logger = (Logger) LoggerFactory.getLogger(FailedLogins.class);
    ListAppender<ILoggingEvent> log = new ListAppender<>();
    log.start();
    logger.addAppender(log);
    try {
      byte[] given = name.getBytes(StandardCharsets.UTF_8);
      new FailedLogins("resp").check("1.2.3.4", false, name, given, given);
    } finally {
      logger.detachAppender(log);
    }
    List<String> lines = log.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
    assertThat(lines).hasSize(1);
    return lines.getFirst();
  }
}
