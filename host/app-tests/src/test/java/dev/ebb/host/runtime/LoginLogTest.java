package dev.ebb.host.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.admin.LogLines;
import dev.ebb.host.login.FailedLogins;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Isolated;

@Isolated("reads the log of all failed logins in this JVM")
class LoginLogTest {

  @RegisterExtension final LogLines log = new LogLines(FailedLogins.class.getName());

  @Test
  void aFailedLoginIsLoggedWithItsUserAsShortHarmlessText() {
    assertThat(logged("ann")).contains("user='ann'", "remote=1.2.3.4");
    assertThat(logged("ann\nERROR forged \u001b[2J"))
        .doesNotContain("\n", "\u001b")
        .contains("user='ann ERROR forged");
    assertThat(logged("a".repeat(1_000_000))).hasSizeLessThan(300).contains("aaa...'");
    assertThat(logged("")).doesNotContain("user=");
  }

  private String logged(String name) {
    int before = log.events().size();
    byte[] given = name.getBytes(StandardCharsets.UTF_8);
    new FailedLogins("resp").check("1.2.3.4", false, name, given, given);
    assertThat(log.events()).hasSize(before + 1);
    return log.events().getLast().getFormattedMessage();
  }
}
