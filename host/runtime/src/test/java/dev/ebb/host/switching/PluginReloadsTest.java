package dev.ebb.host.switching;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.config.PluginFolderTest;
import dev.ebb.host.plugin.PluginReport;
import dev.ebb.host.plugin.PluginState;
import dev.ebb.host.testing.Awaiting;
import dev.ebb.host.testing.BadPolicies;
import dev.ebb.host.testing.PluginJarBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class PluginReloadsTest extends PluginFolderTest {

  @Test
  void aNewerJarOfTheActivePolicyTakesOver() {
    jar("1.0.0");
    try (SwitchBench bench = open("")) {
      jar("1.1.0");
      PluginReloads.Result result = bench.reloads.reload(Set.of());

      assertThat(result.loaded()).containsExactly("acme@1.1.0");
      assertThat(result.dropped()).containsExactly("acme@1.0.0");
      assertThat(bench.switcher.active().version()).isEqualTo("1.1.0");
      assertThat(bench.reloads.reload(Set.of()).loaded()).as("same hash, nothing to do").isEmpty();
      assertThat(bench.switcher.history().count()).isEqualTo(2);
    }
  }

  @Test
  void anotherJarDoesNotAffectTheActivePolicy() throws IOException {
    jar("1.0.0");
    try (SwitchBench bench = open("")) {
      PluginJarBuilder.plugin("other").policy("two").writeTo(folder, "b.jar");
      assertThat(bench.reloads.reload(Set.of()).loaded()).containsExactly("other@1.0.0");
      assertThat(bench.host.policies().names()).containsExactly("one", "two");

      Files.delete(folder.resolve("b.jar"));
      assertThat(bench.reloads.reload(Set.of()).dropped()).containsExactly("other@1.0.0");
      assertThat(bench.host.policies().names()).containsExactly("one");
      assertThat(bench.switcher.history().count()).isOne();
    }
  }

  @Test
  void aBrokenOrHalfWrittenJarDoesNotLoseTheActiveOne() throws IOException {
    jar("1.0.0");
    try (SwitchBench bench = open("")) {
      Files.writeString(folder.resolve("a.jar"), "half of a JAR");
      bench.reloads.reload(Set.of(folder.resolve("a.jar")));
      assertThat(states(bench)).containsExactlyInAnyOrder(PluginState.COPYING, PluginState.LOADED);

      bench.reloads.reload(Set.of());
      assertThat(states(bench)).containsExactlyInAnyOrder(PluginState.REFUSED, PluginState.LOADED);
      assertThat(bench.switcher.active().version()).isEqualTo("1.0.0");
      assertThat(bench.host.policies().names()).containsExactly("one");
    }
  }

  @Test
  void aLowerVersionDoesNotTakeOverWhileTheJarIsBeingWritten() {
    jar("1.0.0");
    try (SwitchBench bench = open("")) {
      Path newer =
          PluginJarBuilder.plugin("acme").version("2.0.0").policy("two").writeTo(folder, "b.jar");
      bench.reloads.reload(Set.of());
      assertThat(bench.host.policies().names()).containsExactly("two");

      assertThat(bench.reloads.reload(Set.of(newer)).loaded()).isEmpty();
      assertThat(bench.host.policies().names()).containsExactly("two");
      assertThat(bench.host.plugins().reports())
          .filteredOn(report -> report.state() == PluginState.PASSED_OVER)
          .extracting(PluginReport::reason)
          .containsExactly("b.jar is being written, and its previous copy serves");
    }
  }

  @Test
  void aJarThatDoesNotTakeOverIsRefusedUntilItIsTriedAgain() {
    jar("1.0.0");
    try (SwitchBench bench = open("")) {
      PluginJarBuilder.plugin("acme")
          .version("1.1.0")
          .provider("acme.One", BadPolicies.source("One", "throw new IllegalStateException();"))
          .writeTo(folder, "a.jar");

      PluginReloads.Result result = bench.reloads.reload(Set.of());

      assertThat(result.failures())
          .singleElement()
          .asString()
          .contains("'one' of plugin 'acme' 1.1.0");
      assertThat(bench.switcher.active().version()).isEqualTo("1.0.0");
      assertThat(bench.host.plugins().reports())
          .filteredOn(report -> report.state() == PluginState.REFUSED)
          .singleElement()
          .extracting(PluginReport::reason)
          .asString()
          .startsWith("it did not take over: policy 'one' failed: java.lang.IllegalStateException");
      assertThat(bench.reloads.reload(Set.of()).failures()).isEmpty();
      assertThat(bench.reloads.retry().failures()).hasSize(1);
    }
  }

  @Test
  void theCopyServesOnWhenTheJarOfTheActivePolicyIsRemoved() throws IOException {
    jar("1.0.0");
    PluginJarBuilder.plugin("other").policy("two").writeTo(folder, "b.jar");
    try (SwitchBench bench = open("")) {
      Files.delete(folder.resolve("a.jar"));
      bench.reloads.reload(Set.of());

      assertThat(bench.site.policy()).isEqualTo("one");
      assertThat(bench.host.plugins().reports().getFirst().reason())
          .isEqualTo("its file was removed; the copy serves as long as it is used");

      bench.switcher.switchTo("two", SwitchCause.OPERATOR);
      Awaiting.until(bench.host.pluginHost()::isOverdue);
      assertThat(bench.reloads.reload(Set.of()).dropped()).containsExactly("acme@1.0.0");
    }
  }

  @Test
  void theHostsOwnOrderTakesOverIfThatIsWanted() throws IOException {
    jar("1.0.0");
    try (SwitchBench bench = open("ebb.plugins.on-removed = fall-back")) {
      Files.delete(folder.resolve("a.jar"));
      bench.reloads.reload(Set.of());

      assertThat(bench.site.policy()).isEqualTo("builtin-lru");
      assertThat(bench.switcher.history().records().getLast().cause())
          .hasToString("removed JAR: acme 1.0.0 (a.jar)");
      jar("1.0.0");
      bench.reloads.reload(Set.of());
      assertThat(bench.site.policy()).as("what is configured comes back").isEqualTo("one");
    }
  }

  @Test
  void onlyListedHashesAreLoaded() {
    jar("1.0.0");
    String hash;
    try (SwitchBench bench = open("")) {
      hash = String.valueOf(bench.switcher.active().sha256());
    }
    PluginJarBuilder.plugin("other").policy("two").writeTo(folder, "b.jar");
    try (SwitchBench bench = open("ebb.plugins.allow = [\"%s\"]".formatted(hash))) {
      assertThat(states(bench)).containsExactly(PluginState.LOADED, PluginState.REFUSED);
      assertThat(bench.host.plugins().reports().getLast().reason())
          .matches("its SHA-256 '[0-9a-f]{64}' is not in ebb.plugins.allow; add it there .*");
    }
  }

  private SwitchBench open(String settings) {
    SwitchBench bench = SwitchBench.of(home, "ebb.eviction.policy = one\n" + settings);
    bench.switcher.switchTo("one", SwitchCause.START);
    return bench;
  }

  private void jar(String version) {
    PluginJarBuilder.plugin("acme").version(version).policy("one").writeTo(folder, "a.jar");
  }

  private static List<PluginState> states(SwitchBench bench) {
    return bench.host.plugins().reports().stream().map(PluginReport::state).toList();
  }
}
