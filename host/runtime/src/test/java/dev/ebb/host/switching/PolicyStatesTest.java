package dev.ebb.host.switching;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.host.cache.PolicyPlace;
import dev.ebb.host.cache.policy.PolicyState;
import dev.ebb.host.config.Configs;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.testing.Awaiting;
import dev.ebb.host.testing.BadPolicies;
import dev.ebb.host.testing.PluginJarBuilder;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Policies continue with what they have learned, and can harm nothing but that. */
class PolicyStatesTest {

  private static final String COUNTS = BadPolicies.COUNTS_RESTARTS;

  /** Part of a loop that no interrupt ends, without a load on the machine. */
  private static final String DEAF =
      "try { Thread.sleep(20); } catch (InterruptedException unheeded) {}";

  @TempDir private Path home;

  private Path folder() {
    return home.resolve("state");
  }

  private Path file() {
    return StateFile.path(folder(), "counts", "default");
  }

  private void plugin(String members) {
    PluginJarBuilder.plugin("acme")
        .policy("one")
        .provider("acme.Counts", BadPolicies.source("Counts", "", members))
        .writeTo(Configs.plugins(home), "acme.jar");
  }

  private SwitchBench start() {
    return start(List.of("default"));
  }

  private SwitchBench start(List<String> places) {
    SwitchBench bench = new SwitchBench(home, "", places, folder());
    try {
      bench.switcher.switchTo("counts", SwitchCause.START);
      return bench;
    } catch (RuntimeException refused) {
      bench.close();
      throw refused;
    }
  }

  private static long learned(SwitchBench bench) {
    return learned(bench.site.places().getFirst());
  }

  private static long learned(PolicyPlace place) {
    PolicyState state = requireNonNull(place.policyState());
    assertThat(state.policy()).isEqualTo("counts");
    assertThat(state.problem()).isNull();
    return ByteBuffer.wrap(state.bytes()).getLong();
  }

  @Test
  void aPolicyThatIsActivatedAgainContinues() {
    plugin(COUNTS);
    try (SwitchBench bench = start()) {
      assertThat(learned(bench)).isEqualTo(1);
      bench.switcher.switchTo("counts", SwitchCause.OPERATOR);
      assertThat(learned(bench)).isEqualTo(2);
      bench.switcher.switchTo("one", SwitchCause.OPERATOR);
      bench.switcher.switchTo("counts", SwitchCause.OPERATOR);
      assertThat(learned(bench)).isEqualTo(3);
      bench.switcher.rollback();
      bench.switcher.rollback();
      assertThat(learned(bench)).isEqualTo(4);
    }
  }

  @Test
  void eachPartitionHasItsOwnStateAfterARestart() {
    plugin(COUNTS);
    try (SwitchBench bench = start(List.of("default", "tenant:a/b"))) {
      bench.switcher.saveStates();
    }
    try (SwitchBench bench = start(List.of("default", "tenant:a/b", "tenant:c"))) {
      assertThat(bench.site.places().stream().map(PolicyStatesTest::learned))
          .containsExactly(2L, 2L, 1L);
    }
  }

  @Test
  void aNewVersionOfTheJarContinuesUnlessItsFormatIsAnother() {
    plugin(COUNTS);
    try (SwitchBench bench = start()) {
      bench.switcher.saveStates();
    }
    PluginJarBuilder.plugin("acme")
        .version("2.0.0")
        .provider("acme.Counts", BadPolicies.source("Counts", "", COUNTS))
        .writeTo(Configs.plugins(home), "acme.jar");
    try (SwitchBench bench = start()) {
      assertThat(learned(bench)).isEqualTo(2);
      bench.switcher.saveStates();
    }
    plugin(COUNTS.replace("return 1", "return 2"));
    try (SwitchBench bench = start()) {
      assertThat(learned(bench)).isEqualTo(1);
    }
  }

  @Test
  void theStateOfAnotherPluginIsNotUsed() {
    plugin(COUNTS);
    try (SwitchBench bench = start()) {
      bench.switcher.saveStates();
    }
    PluginJarBuilder.plugin("other")
        .provider("acme.Counts", BadPolicies.source("Counts", "", COUNTS))
        .writeTo(Configs.plugins(home), "acme.jar");
    try (SwitchBench bench = start()) {
      assertThat(learned(bench)).isEqualTo(1);
    }
  }

  @Test
  void aDamagedFileIsRefusedWhereverItIsDamaged() throws IOException {
    plugin(COUNTS);
    try (SwitchBench bench = start()) {
      bench.switcher.saveStates();
    }
    byte[] content = Files.readAllBytes(file());
    Path copy = home.resolve("copy");
    Files.write(copy, content);
    assertThat(StateFile.read(copy, "counts", "default").plugin()).isEqualTo("acme");
    for (int length = 0; length < content.length; length++) {
      Files.write(copy, Arrays.copyOf(content, length));
      assertRefused(copy);
    }
    for (int bit = 0; bit < content.length * 8; bit++) {
      byte[] flipped = content.clone();
      flipped[bit / 8] ^= (byte) (1 << bit % 8);
      Files.write(copy, flipped);
      assertRefused(copy);
    }
    Files.write(file(), new byte[PolicyState.MOST_BYTES + (1 << 20)]);
    try (SwitchBench bench = start()) {
      assertThat(learned(bench)).isEqualTo(1);
      bench.switcher.saveStates();
    }
    assertThat(Files.readAllBytes(file())).isEqualTo(content);
  }

  private static void assertRefused(Path file) {
    assertThatThrownBy(() -> StateFile.read(file, "counts", "default"))
        .isInstanceOf(IOException.class);
  }

  @Test
  void aFileOfAnotherPartitionIsRefused() throws IOException {
    plugin(COUNTS);
    try (SwitchBench bench = start(List.of("tenant:ann"))) {
      bench.switcher.saveStates();
    }
    Files.copy(StateFile.path(folder(), "counts", "tenant:ann"), file());
    try (SwitchBench bench = start()) {
      assertThat(learned(bench)).isEqualTo(1);
    }
  }

  @Test
  void aFullDiskKeepsTheEarlierFile() throws IOException {
    Path full = Path.of("/dev/full");
    Assumptions.assumeTrue(Files.isWritable(full), "needs /dev/full");
    plugin(COUNTS);
    try (SwitchBench bench = start()) {
      bench.switcher.saveStates();
      byte[] before = Files.readAllBytes(file());
      bench.switcher.switchTo("counts", SwitchCause.OPERATOR);
      Files.createSymbolicLink(file().resolveSibling(file().getFileName() + ".part"), full);
      bench.switcher.saveStates();
      assertThat(Files.readAllBytes(file())).isEqualTo(before);

      bench.switcher.saveStates();
      assertThat(Files.readAllBytes(file())).isNotEqualTo(before);
    }
  }

  @Test
  void aFolderThatCannotBeCreatedIsReportedAtTheStart() throws IOException {
    Files.writeString(folder(), "a file");
    assertThatThrownBy(() -> new PolicyStates(folder()))
        .isInstanceOf(UserError.class)
        .hasMessageContaining("ebb.state.folder = '" + folder() + "'");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "throw new IllegalStateException(\"no\");",
        "throw new StackOverflowError();",
        "byte[] much = new byte[1 << 20]; while (true) { out.write(much); }",
        "for (int i = 0; i < 300; i++) { try { out.write(new byte[1 << 16]); } catch (Throwable t)"
            + " {} }"
      })
  void aPolicyThatCannotSaveStaysActive(String save) {
    plugin(
        """
        public int stateFormat() { return 1; }
        public void saveState(java.io.OutputStream out) throws java.io.IOException {
          if (true) { %s }
        }
        """
            .formatted(save));
    try (SwitchBench bench = start()) {
      bench.switcher.saveStates();
      assertThat(file()).doesNotExist();
      assertThat(bench.site.policy()).isEqualTo("counts");
      bench.switcher.switchTo("counts", SwitchCause.OPERATOR);
      assertThat(bench.site.policy()).isEqualTo("counts");
    }
  }

  @Test
  void aPolicyThatHangsWhileItSavesIsReplacedAndItsStateNotUsedAgain() {
    plugin(COUNTS);
    try (SwitchBench bench = start()) {
      bench.switcher.saveStates();
    }
    plugin(
        COUNTS.replace(
            "new java.io.DataOutputStream(out)",
            "while (learned == 1) { " + DEAF + " } new java.io.DataOutputStream(out)"));
    try (SwitchBench bench = start()) {
      bench.switcher.saveStates();
      Awaiting.until(() -> bench.switcher.active().name().equals("builtin-lru"));
      bench.switcher.saveStates();
      assertThat(file()).doesNotExist();
      bench.switcher.quarantine().clear("counts");
      bench.switcher.switchTo("counts", SwitchCause.OPERATOR);
      assertThat(learned(bench)).isEqualTo(1);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "throw new IllegalStateException(\"no\");",
        "throw new java.io.IOException(\"no\");",
        "throw new OutOfMemoryError();",
        "throw new SettingException(\"no\");"
      })
  void aPolicyThatCannotLoadStartsWithNothingLearned(String load) {
    saveAndLoadWith(load);
    try (SwitchBench bench = start()) {
      assertThat(learned(bench)).isEqualTo(1);
    }
  }

  @Test
  void aPolicyThatHangsWhileItLoadsStartsTheNextTimeWithNothingLearned() {
    saveAndLoadWith("while (true) { " + DEAF + " }");
    assertThatThrownBy(this::start).isInstanceOf(UserError.class).hasMessageContaining("loadState");
    try (SwitchBench bench = start()) {
      assertThat(learned(bench)).isEqualTo(1);
    }
  }

  private void saveAndLoadWith(String load) {
    plugin(COUNTS);
    try (SwitchBench bench = start()) {
      bench.switcher.saveStates();
    }
    plugin(COUNTS.replace("learned = ", "learned = 99; if (true) { " + load + " } learned = "));
  }
}
