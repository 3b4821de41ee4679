package dev.ebb.host.admin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.admin.AdminProcess.Answer;
import dev.ebb.host.config.Configs;
import dev.ebb.host.testing.Awaiting;
import dev.ebb.host.testing.FailsWhenActive;
import dev.ebb.host.testing.PluginJarBuilder;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HealthTest {

  @TempDir private Path home;

  @Test
  void aProcessWhosePolicyFailedIsReadyWithAWarning() {
    PluginJarBuilder.plugin("bad")
        .provider("bad.Bad", FailsWhenActive.SOURCE)
        .writeTo(Configs.plugins(home), "bad.jar");
    try (AdminProcess process = AdminProcess.start(home, "")) {
      process.put("key", 100);
      process.call("PUT", "/api/v1/policy", "{\"policy\": \"bad\"}");
      process.jedis().get("key");
      Awaiting.until(() -> !ready(process).warnings().isEmpty());

      Answer answer = process.get("/health/ready");
      assertThat(answer.status()).isEqualTo(200);
      assertThat(ready(process).status()).isEqualTo("ready");
      assertThat(ready(process).reasons()).isEmpty();
      assertThat(ready(process).warnings())
          .singleElement()
          .asString()
          .contains("'builtin-lru'", "ebb policy show");
    }
  }

  private static HealthDocument ready(AdminProcess process) {
    return process.get("/health/ready").as(HealthDocument.class);
  }
}
