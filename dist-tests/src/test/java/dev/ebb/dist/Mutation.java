package dev.ebb.dist;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Changes to a valid input. */
enum Mutation {
  CHANGED("bytes changed") {
    @Override
    byte[] apply(byte[] input, Random random) {
      byte[] copy = input.clone();
      for (int i = random.nextInt(6); i >= 0; i--) {
        copy[random.nextInt(copy.length)] = (byte) random.nextInt();
      }
      return copy;
    }
  },
  CUT("cut off") {
    @Override
    byte[] apply(byte[] input, Random random) {
      return Arrays.copyOf(input, random.nextInt(input.length));
    }
  },
  REMOVED("bytes removed") {
    @Override
    byte[] apply(byte[] input, Random random) {
      int from = random.nextInt(input.length);
      return joined(input, from, new byte[0], Math.min(input.length, from + 1 + random.nextInt(8)));
    }
  },
  REPEATED("part repeated") {
    @Override
    byte[] apply(byte[] input, Random random) {
      int from = random.nextInt(input.length);
      int to = from + random.nextInt(input.length - from + 1);
      return joined(input, from, Arrays.copyOfRange(input, from, to), from);
    }
  },
  INSERTED("random bytes inserted") {
    @Override
    byte[] apply(byte[] input, Random random) {
      byte[] inserted = new byte[1 + random.nextInt(random.nextInt(20) == 0 ? 5_000 : 20)];
      random.nextBytes(inserted);
      int at = random.nextInt(input.length + 1);
      return joined(input, at, inserted, at);
    }
  },
  NUMBERS("numbers changed") {
    @Override
    byte[] apply(byte[] input, Random random) {
      Matcher numbers = NUMBER.matcher(new String(input, StandardCharsets.ISO_8859_1));
      return numbers
          .replaceAll((MatchResult number) ->
              random.nextInt(2) == 0 ? number.group() : EXTREMES[random.nextInt(EXTREMES.length)])
          .getBytes(StandardCharsets.ISO_8859_1);
    }
  },
  LINES("line ends changed") {
    @Override
    byte[] apply(byte[] input, Random random) {
      String text = new String(input, StandardCharsets.ISO_8859_1);
      String[] ends = {"\n", "\r", "\r\r\n", "\n\r", "\0", " \r\n"};
      return text.replace("\r\n", ends[random.nextInt(ends.length)])
          .getBytes(StandardCharsets.ISO_8859_1);
    }
  },
  TWICE("two at once") {
    @Override
    byte[] apply(byte[] input, Random random) {
      byte[] both = joined(input, input.length, input, input.length);
      both[random.nextInt(both.length)] ^= (byte) (1 << random.nextInt(8));
      return both;
    }
  },
  RANDOM("random bytes") {
    @Override
    byte[] apply(byte[] input, Random random) {
      byte[] bytes = new byte[1 + random.nextInt(300)];
      random.nextBytes(bytes);
      return bytes;
    }
  };

  private static final Pattern NUMBER = Pattern.compile("\\d+");
  private static final String[] EXTREMES = {
    "0",
    "-1",
    "-0",
    "+1",
    "1e9",
    "00000000001",
    "2147483647",
    "2147483648",
    "-2147483649",
    "4294967296",
    "9223372036854775807",
    "9223372036854775808",
    "-9223372036854775808",
    "99999999999999999999999999",
    "1.5",
    "NaN",
    "",
    " 1",
    "1 ",
    "0x10",
    "536870912",
    "536870913"
  };

  private final String text;

  Mutation(String text) {
    this.text = text;
  }

  abstract byte[] apply(byte[] input, Random random);

  static Mutation any(Random random) {
    return values()[random.nextInt(values().length)];
  }

  private static byte[] joined(byte[] input, int before, byte[] middle, int after) {
    byte[] all = Arrays.copyOf(input, before + middle.length + input.length - after);
    System.arraycopy(middle, 0, all, before, middle.length);
    System.arraycopy(input, after, all, before + middle.length, input.length - after);
    return all;
  }

  @Override
  public String toString() {
    return text;
  }
}
