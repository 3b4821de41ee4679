package dev.ebb.host.config.key;

import com.typesafe.config.ConfigObject;
import dev.ebb.host.config.ShadowConfig;
import dev.ebb.host.config.ShadowSpec;
import dev.ebb.host.units.ByteSize;
import java.math.BigDecimal;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The type of a key.
 *
 * @param allowed its values, in Markdown
 * @param reading reads a value; throws if it is wrong
 */
public record ValueType<T>(String allowed, Function<Setting, T> reading) {

  public static final ValueType<String> NAME = new ValueType<>("name", Setting::string);
  public static final ValueType<String> TEXT = new ValueType<>("text", Setting::string);

  /** A text that Ebb does not show. */
  public static final ValueType<String> SECRET = new ValueType<>("secret text", Setting::string);

  /** HTTP headers, whose values Ebb does not show. */
  public static final ValueType<List<Setting>> HEADERS =
      new ValueType<>(
          "list of `\"NAME: value\"`",
          setting -> setting.list("headers, such as [\"Authorization: Bearer abc\"]"));

  /** A path. A relative one starts at the folder of the file that sets it. */
  public static final ValueType<Path> PATH = new ValueType<>("path", Setting::file);

  public static final ValueType<Optional<Path>> OPTIONAL_PATH = optional("path", Setting::file);

  public static final ValueType<List<Path>> PATHS =
      new ValueType<>("path, or a list of paths", Setting::files);

  /** A ZeroMQ address. */
  public static final ValueType<String> ENDPOINT =
      new ValueType<>("`tcp://HOST:PORT`", Setting::endpoint);

  public static final ValueType<Optional<String>> OPTIONAL_ENDPOINT =
      optional("`tcp://HOST:PORT`", Setting::endpoint);

  /** ZeroMQ addresses of other processes. */
  public static final ValueType<List<String>> ENDPOINTS =
      new ValueType<>(
          "list of `\"tcp://HOST:PORT\"`",
          setting ->
              setting.list("addresses, such as [\"tcp://10.0.0.1:5557\"]").stream()
                  .map(Setting::endpoint)
                  .toList());

  /** An HTTP URL, or nothing. */
  public static final ValueType<Optional<URI>> OPTIONAL_URL = optional("URL", Setting::url);

  /** Which keys chains are learned of. */
  public static final ValueType<List<String>> CHAINS =
      new ValueType<>(
          "`auto`, `off`, a pattern such as `\"mykeys:*\"`, or a list such as `[auto,"
              + " \"mykeys:*\"]`",
          Setting::chains);

  public static final ValueType<List<HostPort>> ADDRESSES =
      new ValueType<>("list of `\"HOST:PORT\"`", Setting::addresses);

  /** The address of another process, or nothing. */
  public static final ValueType<Optional<HostPort>> OPTIONAL_ADDRESS =
      optional("`HOST:PORT`", Setting::address);

  public static final ValueType<Integer> SIGN = new ValueType<>("`1`, `-1`", Setting::sign);
  public static final ValueType<Boolean> FLAG = new ValueType<>("`true`, `false`", Setting::flag);
  public static final ValueType<Duration> DURATION = new ValueType<>("duration", Setting::duration);
  public static final ValueType<Duration> INTERVAL =
      new ValueType<>("duration above zero", Setting::interval);
  public static final ValueType<Long> SIZE = new ValueType<>("size above zero", Setting::bytes);
  public static final ValueType<Long> SIZE_OR_ZERO =
      new ValueType<>("size, or `0 B`", setting -> setting.bytes(0, Long.MAX_VALUE));
  public static final ValueType<PoolSize> SIZE_OR_SHARE =
      new ValueType<>("size or share", Setting::poolSize);
  public static final ValueType<Double> SHARE =
      new ValueType<>("`\"0 %\"` to `\"100 %\"`", Setting::share);
  public static final ValueType<Double> RATE =
      new ValueType<>("`auto`, or above 0 up to 1", Setting::rate);
  public static final ValueType<List<ShadowSpec>> POLICIES =
      new ValueType<>(
          "list of up to " + ShadowConfig.MOST + " policies",
          setting -> setting.policies(ShadowConfig.MOST));
  public static final ValueType<List<String>> HASHES =
      new ValueType<>("list of SHA-256", Setting::hashes);

  /** Keys whose names users choose. */
  public static final ValueType<StrategySettings> SECTION =
      new ValueType<>(
          "section",
          setting -> new StrategySettings(setting.path(), (ConfigObject) setting.value()));

  private static <T> ValueType<Optional<T>> optional(String allowed, Function<Setting, T> reading) {
    return new ValueType<>(
        allowed,
        setting ->
            setting.string().isEmpty() ? Optional.empty() : Optional.of(reading.apply(setting)));
  }

  public static ValueType<Double> number(double min, double max) {
    return new ValueType<>(plain(min) + " to " + plain(max), setting -> setting.number(min, max));
  }

  public static ValueType<Integer> integer(int min, int max) {
    return new ValueType<>(min + " to " + max, setting -> (int) setting.integer(min, max));
  }

  public static ValueType<Long> sizeUpTo(long max) {
    return new ValueType<>("size up to " + ByteSize.format(max), setting -> setting.bytes(1, max));
  }

  public static ValueType<Duration> durationUpTo(Duration max) {
    return new ValueType<>(
        "duration up to " + Setting.text(max), setting -> setting.duration(Duration.ZERO, max));
  }

  public static <E extends Enum<E>> ValueType<E> choice(Class<E> type) {
    String names =
        Arrays.stream(type.getEnumConstants())
            .map(each -> "`" + Setting.name(each) + "`")
            .collect(Collectors.joining(", "));
    return new ValueType<>(names, setting -> setting.choice(type));
  }

  public static ValueType<List<Setting>> list(String of, String example) {
    return new ValueType<>(
        "list of " + of, setting -> setting.list("%s, such as [%s]".formatted(of, example)));
  }

  private static String plain(double bound) {
    return BigDecimal.valueOf(bound).stripTrailingZeros().toPlainString();
  }
}
