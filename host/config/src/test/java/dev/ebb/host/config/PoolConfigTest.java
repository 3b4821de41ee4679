package dev.ebb.host.config;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.config.engine.OffloadConfig;
import dev.ebb.host.config.key.PoolSize;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PoolConfigTest {

  @TempDir private Path home;

  @Test
  void theDefaultsAreHalfOfTheMemoryOnWhateverDeviceThereIs() {
    assertThat(Configs.defaults(home).orThrow().pool())
        .isEqualTo(
            new PoolConfig(
                PoolDevice.AUTO,
                new PoolSize(0, 50),
                PoolNuma.LOCAL,
                new DefragConfig(0.2, Duration.ofSeconds(60), 16 << 20, 32),
                new OffloadConfig(null, null, 256, Duration.ofSeconds(1))));
  }

  @Test
  void allWrongKeysAreReportedTogether() {
    String file = home.resolve("ebb.conf").toString();
    assertThat(
            Configs.of(
                    home,
                    """
                    ebb.pool {
                      device = gpu
                      size = 8
                      defrag { threshold = 2, interval = 0 s, slice = "9 %", short-run = 0, x = 1 }
                    }
                    """)
                .problems())
        .containsExactlyInAnyOrder(
            file + ":2: ebb.pool.device = 'gpu' must be one of [auto, host, cuda, all]",
            file
                + ":3: ebb.pool.size = '8' must be a size with its unit, such as 8 GiB, or a share"
                + " of the available memory above 0 % and up to 100 %, such as \"60 %\"",
            file + ":4: ebb.pool.defrag.threshold = '2' must be a number from 0 to 1",
            file + ":4: ebb.pool.defrag.interval = '0 s' must be longer than 0",
            file + ":4: ebb.pool.defrag.slice = '9 %' must be a size with its unit, such as 16 MiB",
            file + ":4: ebb.pool.defrag.short-run = '0' must be a whole number from 1 to 1048576",
            file
                + ":4: unknown key 'ebb.pool.defrag.x'; allowed: [interval, short-run,"
                + " slice, threshold]");
  }

  @Test
  void aSizeIsBytesOrAShareOfWhatIsAvailable() {
    assertThat(PoolSize.parse("8 GiB").orElseThrow().bytesOf(1)).isEqualTo(8L << 30);
    assertThat(PoolSize.parse("60 %").orElseThrow().bytesOf(1000)).isEqualTo(600);
    assertThat(PoolSize.parse("12.5%").orElseThrow().bytesOf(1000)).isEqualTo(125);
  }

  @ParameterizedTest
  @ValueSource(strings = {"0 %", "101 %", "%", "8", "0 GiB", "-1 GiB", "half"})
  void otherTextsAreNoSize(String text) {
    assertThat(PoolSize.parse(text)).isEmpty();
  }
}
