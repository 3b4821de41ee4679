package dev.ebb.host.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.host.config.Configs;
import dev.ebb.host.config.TenantQuota;
import dev.ebb.host.errors.UserError;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PartitionSpecTest {

  @TempDir private Path home;

  @Test
  void everyTenantWithAQuotaHasAPartAndTheOthersShareTheRest() {
    assertThat(
            PartitionSpec.divide(
                1 << 30,
                quotas("ebb.tenants { ann.quota = 256 MiB, \"b@c\" { quota = \"25 %\" } }")))
        .containsExactly(
            new PartitionSpec("default", null, 512 << 20),
            new PartitionSpec("tenant:ann", "ann", 256 << 20),
            new PartitionSpec("tenant:b@c", "b@c", 256 << 20));
    assertThat(PartitionSpec.divide(1 << 30, List.of()))
        .containsExactly(new PartitionSpec("default", null, 1 << 30));
  }

  @Test
  void quotasThatLeaveNothingAreRefused() {
    List<TenantQuota> quotas = quotas("ebb.tenants { ann.quota = 768 MiB, bob.quota = \"25 %\" }");
    assertThatThrownBy(() -> PartitionSpec.divide(1 << 30, quotas))
        .isInstanceOf(UserError.class)
        .hasMessage(
            "ebb.tenants: the quotas add up to '1 GiB', and a pool of '1 GiB' must leave 64 KiB for"
                + " all others; lower them, or raise ebb.pool.size");
  }

  @Test
  void quotasThatHoldNothingAreRefused() {
    List<TenantQuota> quotas = quotas("ebb.tenants.ann.quota = 10 kB");
    assertThatThrownBy(() -> PartitionSpec.divide(1 << 30, quotas))
        .isInstanceOf(UserError.class)
        .hasMessageEndingWith(
            "ebb.conf:1: the quota of tenant 'ann' is '9.8 KiB' of a pool of '1 GiB', and must be"
                + " at least 64 KiB");
  }

  @Test
  void everyMistakeInTheFileIsReported() {
    String file = home.resolve("ebb.conf").toString();
    assertThat(
            Configs.of(
                    home,
                    """
                    ebb.tenants {
                      ann = 2 GiB
                      bob { quota = 2, x = 1 }
                      cid {}
                    }
                    ebb.eviction { pin-budget = 0.2, min-access-count = 0, probation-ratio = 2 }
                    """)
                .problems())
        .containsExactlyInAnyOrder(
            file + ":2: ebb.tenants.ann = '2 GiB' must be a section: { ... }",
            file + ":3: unknown key 'ebb.tenants.bob.x'; allowed: [quota]",
            file
                + ":3: ebb.tenants.bob.quota = '2' must be a size with its unit, such as 8 GiB, or"
                + " a share of the pool above 0 % and up to 100 %, such as \"25 %\"",
            file + ":4: ebb.tenants.cid = '{...}' needs a quota, such as { quota = 2 GiB }",
            file
                + ":6: ebb.eviction.pin-budget = '0.2' must be a share from 0 % to 100 %, such as"
                + " \"20 %\"",
            file
                + ":6: ebb.eviction.min-access-count = '0' must be a whole number from 1 to"
                + " 1000000",
            file + ":6: ebb.eviction.probation-ratio = '2' must be a number from 0 to 1");
  }

  private List<TenantQuota> quotas(String text) {
    return Configs.of(home, text).orThrow().tenants();
  }
}
