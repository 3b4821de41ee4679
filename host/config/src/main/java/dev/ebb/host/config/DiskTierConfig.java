package dev.ebb.host.config;

import dev.ebb.host.admission.AdmissionRule;
import dev.ebb.host.config.key.ConfigKey;
import dev.ebb.host.config.key.ConfigReader;
import dev.ebb.host.config.key.SectionKeys;
import dev.ebb.host.config.key.Setting;
import dev.ebb.host.config.key.ValueType;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * {@code ebb.tiers.disk}.
 *
 * @param paths the files or block devices; empty if there is no disk tier
 * @param sizeBytes the largest size of each file
 * @param regionBytes the size of a region, which is nearly the largest value
 * @param readTimeout the longest time of a read
 * @param saveTimeout the longest time to save the values in memory
 * @param keyFile the file of the key that encrypts the files; null if they are not encrypted
 */
public record DiskTierConfig(
    List<Path> paths,
    long sizeBytes,
    long regionBytes,
    AdmissionRule admission,
    Duration readTimeout,
    OnStopChoice onStop,
    Duration saveTimeout,
    @Nullable Path keyFile) {

  static final SectionKeys KEYS = new SectionKeys();

  static final ConfigKey<List<Path>> PATH =
      KEYS.key("tiers.disk.path", "\"\"", ValueType.PATHS)
          .fixed(
              "File or block device for what a server or an engine [evicts from memory](disk.md), or"
                  + " one for each disk. Each process needs its own. Empty: no disk tier.");
  static final ConfigKey<Long> SIZE =
      KEYS.key("tiers.disk.size", "32 GiB", ValueType.SIZE)
          .fixed("Largest size of each file; at least four regions and 64 KiB.");
  static final ConfigKey<Long> REGION_SIZE =
      KEYS.key("tiers.disk.region-size", "64 MiB", ValueType.SIZE)
          .fixed(
              "Unit in which a file is written and reused. A value must fit into a region, and"
                  + " two regions of each file are kept in memory.");

  /** Which evicted values are written. */
  public static final ConfigKey<AdmissionRule> ADMISSION =
      KEYS.key(
              "tiers.disk.admission",
              "all",
              new ValueType<>(
                  "`all`, `second-use`, `\"reuse=60%\"`, `\"write-budget=500 GiB\"`",
                  Setting::admission))
          .live(
              "Which evicted values are [written](disk.md#admission): all, those used twice, a"
                  + " share of them, or so many bytes a day.");

  static final ConfigKey<Duration> READ_TIMEOUT =
      KEYS.key("tiers.disk.read-timeout", "1 s", ValueType.INTERVAL)
          .fixed(
              "A value that is not read within this time is a miss; an engine reads as many blocks of"
                  + " a prompt as this time allows.");
  static final ConfigKey<OnStopChoice> ON_STOP =
      KEYS.key("tiers.disk.on-stop", "save", ValueType.choice(OnStopChoice.class))
          .fixed(
              "Whether a server that stops writes the values in memory to the disk (`save`) or not"
                  + " (`drop`).");
  static final ConfigKey<Duration> SAVE_TIMEOUT =
      KEYS.key("tiers.disk.save-timeout", "10 s", ValueType.INTERVAL)
          .fixed("Longest time for that. What was used last is written first.");

  static final ConfigKey<Optional<Path>> KEY_FILE =
      KEYS.key("tiers.disk.key-file", "\"\"", ValueType.OPTIONAL_PATH)
          .fixed(
              "File with a key of 32 bytes or 64 hexadecimal digits, which only its owner can read:"
                  + " [encrypts](disk.md#encryption) the files. Empty: not encrypted.");

  static DiskTierConfig read(ConfigReader reader) {
    return new DiskTierConfig(
        reader.paths(PATH),
        reader.get(SIZE),
        reader.get(REGION_SIZE),
        reader.get(ADMISSION),
        reader.get(READ_TIMEOUT),
        reader.get(ON_STOP),
        reader.get(SAVE_TIMEOUT),
        reader.optionalPath(KEY_FILE));
  }

  /** Returns how much longer a stop may take. */
  public Duration stopTime() {
    return isOn() && onStop == OnStopChoice.SAVE ? saveTimeout : Duration.ZERO;
  }

  /** Returns whether there is a disk tier. */
  public boolean isOn() {
    return !paths.isEmpty();
  }
}
