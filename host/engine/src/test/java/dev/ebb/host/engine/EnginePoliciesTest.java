package dev.ebb.host.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.host.config.Configs;
import dev.ebb.host.engine.prune.TokenEviction;
import dev.ebb.host.engine.request.Namespace;
import dev.ebb.host.engine.request.SequenceRequest;
import dev.ebb.host.engine.sequence.Sequence;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.pool.DType;
import dev.ebb.host.pool.KvLayout;
import dev.ebb.host.runtime.PolicyRuntime;
import dev.ebb.host.runtime.PolicySiteTest;
import dev.ebb.host.testing.Awaiting;
import dev.ebb.host.testing.PluginJarBuilder;
import dev.ebb.spi.TokenPolicyProvider;
import java.nio.file.Path;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * An embedded engine with sequences, in host memory unless a subclass names another device. Its
 * policies run on the callers' threads.
 */
public class EnginePoliciesTest extends PolicySiteTest {

  private static final KvLayout LAYOUT = new KvLayout(2, 2, 8, 4, DType.FP32);
  private static final Namespace MODEL = Namespace.of("tiny");

  @TempDir private Path tokens;

  /** Returns the name of the only device. */
  protected String device() {
    return "host";
  }

  @Override
  protected TestSite start(Path folder, String settings) {
    return new Site(ebb(folder, settings));
  }

  private Ebb ebb(Path folder, String settings) {
    String kind = device().replaceFirst(":.*", "");
    int bytes = ENTRIES * LAYOUT.blockBytes();
    Configs.file(
        folder, "ebb.pool { device = %s, size = %d B }\n%s".formatted(kind, bytes, settings));
    return Ebb.start(EbbOptions.of(LAYOUT, folder));
  }

  private record Site(Ebb ebb) implements TestSite {

    @Override
    public PolicyRuntime policies() {
      return ebb.policies();
    }

    @Override
    public boolean use(int key) {
      try (Sequence sequence = ebb.open(SequenceRequest.of(MODEL, key, key, key, key))) {
        boolean hit = sequence.matchedTokens() > 0;
        sequence.finish();
        return hit;
      }
    }

    @Override
    public void close() {
      ebb.close();
    }
  }

  @Test
  void aChangedTokenPolicyIsReloaded() {
    Path plugins = Configs.plugins(tokens);
    tokenPolicy("1.0.0", "for (int i = 0; i < view.length(); i++) { out[i] = i; }", plugins);
    try (Ebb ebb = ebb(tokens, "ebb { tokens.policy = newest, eviction.policy = none }")) {
      assertThat(prune(ebb).removedTokens()).isPositive();

      tokenPolicy("1.1.0", "throw new IllegalStateException(\"version 1.1.0\");", plugins);

      Awaiting.until(() -> prune(ebb).detail().contains("version 1.1.0"));
      Awaiting.until(() -> {
        System.gc();
        return ebb.policies().switcher().uncollectedLoaders() == 0;
      });
    }
  }

  @Test
  void aRuleOnAPartThatAnEngineDoesNotHaveIsRefused() {
    Configs.plugins(tokens);
    String rule =
        """
        ebb.eviction.policy = none
        ebb.eviction.rules = [{
          name = tight, when = occupancy, of = default, above = "50 %", clear-at = "40 %"
          policy = none
        }]
        """;
    assertThatThrownBy(() -> ebb(tokens, rule))
        .isInstanceOf(UserError.class)
        .hasMessageContaining("'default'")
        .hasMessageContaining("[" + device() + "]");
  }

  private static TokenEviction prune(Ebb ebb) {
    int[] prompt = IntStream.range(0, 64).toArray();
    try (Sequence sequence = ebb.open(SequenceRequest.of(MODEL, prompt))) {
      return ebb.tokens().maybeEvict(sequence, 16);
    }
  }

  private static void tokenPolicy(String version, String score, Path folder) {
    PluginJarBuilder.plugin("tokens")
        .version(version)
        .source(
            "acme.Newest",
            """
            package acme;

            import dev.ebb.spi.*;
            import java.util.Set;

            public final class Newest implements TokenPolicyProvider {
              public String name() { return "newest"; }

              public TokenPolicy create(PolicyContext context) {
                return new TokenPolicy() {
                  public Set<Signal> signals() { return Set.of(); }

                  public Granularity granularity() { return Granularity.SEQUENCE; }

                  public Trigger trigger() { return Trigger.EVERY_STEP; }

                  public void score(TokenView view, int layer, float[] out) {
                    %s
                  }
                };
              }
            }
            """
                .formatted(score))
        .service(TokenPolicyProvider.class, "acme.Newest")
        .writeTo(folder, "tokens.jar");
  }
}
