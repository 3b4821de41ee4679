package dev.ebb.dist;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** JARs that others compiled against the SPI alone, good and bad, side by side in one folder. */
class ThirdPartyIT extends PluginFolderTest {

  @BeforeEach
  void dropJar() throws IOException {
    new PluginJar("acme", "1.2.3").policy("First", "acme-first").build(plugins.resolve("acme.jar"));
  }

  @Test
  void aDroppedJarShowsUpAndReplays() {
    JsonNode listed = ebb.run("plugins", "list", "--json").json().get("plugins").get(0);
    assertThat(listed.get("id").asString()).isEqualTo("acme");
    assertThat(listed.get("version").asString()).isEqualTo("1.2.3");
    assertThat(listed.get("state").asString()).isEqualTo("loaded");
    assertThat(listed.get("sha256").asString()).hasSize(64);

    Ebb.Run run =
        ebb.run(
            "replay",
            "--synthetic",
            "rag",
            "--requests",
            "300",
            "--policies",
            "acme-first,none",
            "--capacity",
            "10%",
            "--json");
    assertThat(run.exitCode()).as(run.err()).isZero();
    JsonNode first = run.json().get("runs").get(0);
    assertThat(first.get("policy").asString()).isEqualTo("acme-first");
    assertThat(first.get("prefixHitRatio").asDouble()).isPositive();
    assertThat(first.get("evictions").asLong()).isPositive();
  }

  @Test
  void whatAPluginPrintsIsNoResult() throws IOException {
    new PluginJar("chatty", "1.0.0")
        .policy("Chatty", "chatty", "System.out.println(\"here I am\");")
        .build(plugins.resolve("chatty.jar"));

    Ebb.Run run =
        ebb.run("replay", "--synthetic", "rag", "--requests", "50", "-p", "chatty", "--json");

    assertThat(run.json().get("runs").size()).isPositive();
    assertThat(run.err()).contains("here I am");
  }

  @Test
  void noJarWritesMemoryWithUnsafe() throws IOException {
    new PluginJar("unsafe", "1.0.0")
        .policy(
            "Unsafe",
            "unsafe",
            """
            try {
              var field = Class.forName("sun.misc.Unsafe").getDeclaredField("theUnsafe");
              field.setAccessible(true);
              field.getType()
                  .getMethod("putInt", Object.class, long.class, int.class)
                  .invoke(field.get(null), new int[1], 16L, 1);
            } catch (java.lang.reflect.InvocationTargetException refused) {
              throw new IllegalStateException(String.valueOf(refused.getCause()));
            } catch (ReflectiveOperationException changed) {
              throw new AssertionError(changed);
            }
            """)
        .build(plugins.resolve("unsafe.jar"));

    JsonNode listed = ebb.run("plugins", "list", "--json").json().get("plugins");
    assertThat(reason(listed, "unsafe.jar")).contains("UnsupportedOperationException: putInt");
  }

  @Test
  void eachBadJarIsRefusedWithItsReasonAndTheOthersAreLoaded() throws IOException {
    new PluginJar("bundled", "1.0.0")
        .policy("Bundled", "bundled")
        .withBundledSpi()
        .build(plugins.resolve("bundled.jar"));
    new PluginJar("bare", "1.0.0")
        .policy("Bare", "bare")
        .withoutManifest()
        .build(plugins.resolve("no-manifest.jar"));
    new PluginJar("future", "1.0.0")
        .policy("Future", "future")
        .with("Plugin-Requires", ">=9.0.0 & <10.0.0")
        .build(plugins.resolve("future.jar"));
    new PluginJar("unbounded", "1.0.0")
        .policy("Unbounded", "unbounded")
        .with("Plugin-Requires", "*")
        .build(plugins.resolve("unbounded.jar"));
    new PluginJar("throwing", "1.0.0")
        .policy("Throwing", "throwing", "throw new IllegalStateException(\"no luck\");")
        .build(plugins.resolve("throwing.jar"));
    new PluginJar("twice", "1.0.0")
        .policy("One", "doubled")
        .policy("Two", "doubled")
        .build(plugins.resolve("twice.jar"));
    Files.writeString(plugins.resolve("truncated.jar"), "PK\003\004 and then the disk was full");

    JsonNode listed = ebb.run("plugins", "list", "--json").json().get("plugins");

    assertThat(reason(listed, "acme.jar")).isEmpty();
    assertThat(reason(listed, "bundled.jar")).contains("dev.ebb.spi").contains("provided");
    assertThat(reason(listed, "no-manifest.jar")).contains("MANIFEST.MF");
    assertThat(reason(listed, "future.jar"))
        .contains(">=9.0.0 & <10.0.0")
        .contains("dev.ebb.spi 1.");
    assertThat(reason(listed, "unbounded.jar")).contains("'*'");
    assertThat(reason(listed, "throwing.jar")).contains("no luck");
    assertThat(reason(listed, "twice.jar")).contains("'doubled'");
    assertThat(reason(listed, "truncated.jar")).isNotEmpty();
    assertThat(ebb.run("replay", "--synthetic", "chat", "--requests", "50").exitCode()).isZero();
  }

  private static String reason(JsonNode listed, String file) {
    for (JsonNode plugin : listed) {
      if (plugin.get("file").asString().endsWith(file)) {
        boolean loaded = plugin.get("state").asString().equals("loaded");
        String reason = plugin.get("reason").isNull() ? "" : plugin.get("reason").asString();
        assertThat(loaded).as(file).isEqualTo(reason.isEmpty());
        return reason;
      }
    }
    throw new AssertionError(file + " is not listed");
  }
}
