package dev.ebb.host.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.host.config.Configs;
import dev.ebb.host.config.engine.SchedulerConfig;
import dev.ebb.host.engine.request.Namespace;
import dev.ebb.host.engine.request.SequenceRequest;
import dev.ebb.host.engine.request.SequenceState;
import dev.ebb.host.engine.sequence.Sequence;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.pool.DType;
import dev.ebb.host.pool.KvLayout;
import dev.ebb.host.scheduler.PreemptionRules;
import dev.ebb.host.testing.PluginJarBuilder;
import dev.ebb.spi.PreemptionPolicyProvider;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Preemption policies of plugins, and those of Ebb. */
class PreemptionPolicyTest {

  private static final KvLayout LAYOUT = new KvLayout(2, 2, 8, 4, DType.FP32);
  private static final Namespace MODEL = Namespace.of("tiny");
  private static final int BLOCKS = 4;

  @TempDir private Path folder;

  @BeforeEach
  void makePluginFolder() throws IOException {
    Files.createDirectory(folder.resolve("plugins"));
  }

  private Ebb start(String settings) {
    Configs.file(
        folder,
        "ebb { pool { device = host, size = %d B }, plugins.folder = \"%s\" }%nebb.eviction.policy = none%n%s"
            .formatted(BLOCKS * LAYOUT.blockBytes(), folder.resolve("plugins"), settings));
    return Ebb.start(EbbOptions.of(LAYOUT, folder));
  }

  private void plugin(String compare) {
    PluginJarBuilder.plugin("preempts")
        .source(
            "acme.Fairness",
            """
            package acme;

            import dev.ebb.spi.*;

            public final class Fairness implements PreemptionPolicyProvider {
              public String name() { return "fairness"; }

              public PreemptionPolicy create(PolicyContext context) {
                String spared = context.settings().string("spared", "acme");
                return (first, second) -> %s;
              }
            }
            """
                .formatted(compare))
        .service(PreemptionPolicyProvider.class, "acme.Fairness")
        .writeTo(folder.resolve("plugins"), "preempts.jar");
  }

  private static Sequence open(Ebb ebb, int priority, String tenant, int... tokens) {
    return ebb.open(SequenceRequest.of(MODEL, tokens).withPriority(priority).withTenant(tenant));
  }

  @Test
  void aPluginSelectsTheSequence() {
    plugin("Boolean.compare(spared.equals(first.tenant()), spared.equals(second.tenant()))");
    try (Ebb ebb =
        start("ebb.scheduler { preemption = fairness, policies.fairness.spared = globex }")) {
      Sequence globex = open(ebb, 0, "globex", 1);
      Sequence first = open(ebb, 0, "acme", 2);
      Sequence last = open(ebb, 0, "acme", 3);
      Sequence other = open(ebb, 0, "globex", 4);
      open(ebb, 2, "initech", 5);
      assertThat(last.state()).isEqualTo(SequenceState.PREEMPTED);
      open(ebb, 2, "initech", 6);
      assertThat(first.state()).isEqualTo(SequenceState.PREEMPTED);
      assertThat(globex.state()).isEqualTo(SequenceState.OPEN);
      assertThat(other.state()).isEqualTo(SequenceState.OPEN);
      assertThat(ebb.preemptionPolicy()).isNotSameAs(ebb.preemptionPolicy());
    }
  }

  @Test
  void aPolicyThatThrowsIsReplaced() {
    plugin("{ throw new IllegalStateException(spared); }");
    try (Ebb ebb = start("ebb.scheduler.preemption = fairness")) {
      Sequence high = open(ebb, 1, "acme", 1);
      Sequence low = open(ebb, 0, "acme", 2);
      open(ebb, 1, "acme", 3);
      open(ebb, 1, "acme", 4);
      open(ebb, 2, "acme", 5);
      assertThat(low.state()).isEqualTo(SequenceState.PREEMPTED);
      assertThat(high.state()).isEqualTo(SequenceState.OPEN);
    }
  }

  @Test
  void ebbHasPoliciesOfItsOwn() {
    try (Ebb ebb = start("ebb.scheduler.preemption = least-progress")) {
      Sequence longer = open(ebb, 0, "acme", 1, 1, 1, 1, 1);
      Sequence shorter = open(ebb, 1, "acme", 2);
      open(ebb, 2, "acme", 3);
      open(ebb, 2, "acme", 4);
      assertThat(shorter.state()).isEqualTo(SequenceState.PREEMPTED);
      assertThat(longer.state()).isEqualTo(SequenceState.OPEN);
    }
  }

  @Test
  void theConfigurationKnowsThemAll() {
    assertThat(Arrays.stream(PreemptionRules.values()).map(PreemptionRules::id))
        .containsExactlyElementsOf(SchedulerConfig.BUILT_IN);
  }

  @Test
  void anUnknownNameIsRefusedWithTheKey() {
    assertThatThrownBy(() -> start("ebb.scheduler.preemption = oldest"))
        .isInstanceOf(UserError.class)
        .hasMessageContaining("ebb.scheduler.preemption")
        .hasMessageContaining("'oldest'");
  }
}
