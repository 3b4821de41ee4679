package dev.ebb.host.disk;

import static java.util.Objects.requireNonNull;

import dev.ebb.host.disk.format.BlockFile;
import dev.ebb.host.disk.format.DiskKey;
import dev.ebb.host.disk.format.Superblock;
import dev.ebb.host.errors.Reasons;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.units.ByteSize;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The open files of a set. Each has the number of the set and its own, so that their order in the
 * configuration does not matter, and no file is taken for another. A set can grow by new files. A
 * set that lacks a file is refused: when that file came back later, it would have values that were
 * replaced meanwhile.
 */
final class FileSet {

  static final int MOST_FILES = 64;

  private static final SecureRandom RANDOM = new SecureRandom();

  final List<Member> members = new ArrayList<>();

  /**
   * A file to be opened.
   *
   * @param name that in messages
   * @param opener opens or creates it
   * @param reopener opens it again after a failure, and does not create it: its disk may not be
   *     mounted
   */
  record Named(String name, BlockFile.Opener opener, BlockFile.Opener reopener) {

    Named existing() {
      return new Named(name, reopener, reopener);
    }
  }

  static final class Member {

    final Named named;
    final BlockFile file;
    private @Nullable Superblock superblock;

    Member(Named named, BlockFile file, @Nullable Superblock superblock) {
      this.named = named;
      this.file = file;
      this.superblock = superblock;
    }

    Superblock superblock() {
      return requireNonNull(superblock, "superblock is null");
    }

    private int number() {
      return superblock().member().number();
    }

    private String quoted() {
      return "'" + named.name + "'";
    }
  }

  private FileSet() {}

  /** Opens files, and creates those that are new; fails if they are not those of one set. */
  static FileSet open(List<Named> files, DiskOptions options) {
    return opened(files, set -> set.join(options));
  }

  /** Fails if files that exist are not those of one set, which a server may use meanwhile. */
  static void check(List<Named> files, DiskOptions options) {
    opened(files, set -> set.verify(options)).close();
  }

  /** Makes files of one set a set of their own, without the files that they lack. */
  static void regroup(List<Named> files) {
    opened(files, set -> set.regroup()).close();
  }

  private interface Step {
    void with(FileSet set) throws IOException;
  }

  private static FileSet opened(List<Named> files, Step step) {
    FileSet set = new FileSet();
    boolean done = false;
    String current = "";
    try {
      for (Named named : files) {
        current = named.name;
        BlockFile file = named.opener.open();
        Member member = new Member(named, file, null);
        set.members.add(member);
        member.superblock = Superblock.read(file, named.name);
      }
      step.with(set);
      done = true;
      return set;
    } catch (NoSuchFileException missing) {
      throw new UserError("'%s' does not exist; name the file of a disk tier".formatted(current));
    } catch (IOException failed) {
      throw new UserError(
          "'%s' cannot be used: %s; check the disk and the rights, or set another path"
              .formatted(current, Reasons.of(failed)));
    } finally {
      if (!done) {
        set.close();
      }
    }
  }

  private void join(DiskOptions options) throws IOException {
    List<Member> old = existing();
    int before = verify(options);
    int number = before;
    long set = old.isEmpty() ? RANDOM.nextLong() : old.getFirst().superblock().member().set();
    int all = before + members.size() - old.size();
    // New files first: after a crash in between, the others still are a complete set.
    for (Member member : members) {
      if (member.superblock == null) {
        create(member, new Superblock.Membership(set, number++, all), options);
      }
    }
    for (Member member : old) {
      if (member.superblock().member().files() != all) {
        rewrite(member, new Superblock.Membership(set, member.number(), all));
      }
    }
  }

  /** Returns how many files the set had before. */
  private int verify(DiskOptions options) {
    List<Member> old = existing();
    checkSame(old);
    int files = old.stream().mapToInt(each -> each.superblock().member().files()).max().orElse(0);
    checkComplete(old, files);
    for (Member member : old) {
      checkSize(member, options);
      checkKey(member, options.key());
    }
    return files;
  }

  private void regroup() throws IOException {
    for (Member member : members) {
      if (member.superblock == null) {
        throw new UserError("%s is empty; name files with values".formatted(member.quoted()));
      }
    }
    checkSame(members);
    long set = RANDOM.nextLong();
    for (int i = 0; i < members.size(); i++) {
      rewrite(members.get(i), new Superblock.Membership(set, i, members.size()));
    }
  }

  private List<Member> existing() {
    return members.stream().filter(each -> each.superblock != null).toList();
  }

  private static void checkSame(List<Member> old) {
    for (Member member : old) {
      Member first = old.getFirst();
      if (member.superblock().member().set() != first.superblock().member().set()) {
        throw new UserError(
            "%s and %s are of different sets of files; name the files that were used together, or remove %s"
                .formatted(first.quoted(), member.quoted(), member.quoted()));
      }
      for (Member other : old.subList(0, old.indexOf(member))) {
        if (other.number() == member.number()) {
          throw new UserError(
              "%s and %s are copies of one file; name one of them"
                  .formatted(other.quoted(), member.quoted()));
        }
      }
    }
  }

  private void checkComplete(List<Member> old, int files) {
    List<Integer> numbers = old.stream().map(Member::number).toList();
    String lacking =
        IntStream.range(0, files)
            .filter(number -> !numbers.contains(number))
            .mapToObj(number -> "file %d of %d".formatted(number + 1, files))
            .collect(Collectors.joining(", "));
    if (!lacking.isEmpty()) {
      String others = old.stream().map(Member::quoted).collect(Collectors.joining(" and "));
      String empty =
          members.stream()
              .filter(each -> each.superblock == null)
              .map(each -> each.quoted() + " is empty, and ")
              .collect(Collectors.joining());
      throw new UserError(
          "%s%s lacks %s of its set; mount its disk and name the file, or give its values up with 'ebb tiers regroup %s'"
              .formatted(
                  empty,
                  others,
                  lacking,
                  old.stream().map(each -> each.named.name).collect(Collectors.joining(" "))));
    }
  }

  private static void create(Member member, Superblock.Membership place, DiskOptions options)
      throws IOException {
    long id = RANDOM.nextLong();
    DiskKey key = options.key();
    Superblock created =
        new Superblock(
            id,
            options.regionBytes(),
            options.regions(),
            0,
            place,
            key == null ? 0 : key.check(id));
    member.file.extend(created.fileBytes());
    created.write(member.file);
    member.superblock = created;
  }

  private static void rewrite(Member member, Superblock.Membership place) throws IOException {
    Superblock changed = member.superblock().in(place);
    changed.write(member.file);
    member.superblock = changed;
  }

  private static void checkSize(Member member, DiskOptions options) {
    Superblock existing = member.superblock();
    if (existing.regionBytes() != options.regionBytes()
        || existing.regions() != options.regions()) {
      throw new UserError(
          "'%s' has %d regions of %s, and ebb.tiers.disk.size and region-size ask for %d of %s; set them to %s and %s, or remove the file"
              .formatted(
                  member.named.name,
                  existing.regions(),
                  ByteSize.format(existing.regionBytes()),
                  options.regions(),
                  ByteSize.format(options.regionBytes()),
                  ByteSize.exact(existing.fileBytes()),
                  ByteSize.exact(existing.regionBytes())));
    }
  }

  private static void checkKey(Member member, @Nullable DiskKey key) {
    long check = member.superblock().keyCheck();
    if (key == null && check != 0) {
      throw new UserError(
          "%s is encrypted; set ebb.tiers.disk.key-file to its key, or remove the file"
              .formatted(member.quoted()));
    }
    if (key != null && check == 0) {
      throw new UserError(
          "%s is not encrypted, and ebb.tiers.disk.key-file is set; remove the file, or that setting"
              .formatted(member.quoted()));
    }
    if (key != null && check != key.check(member.superblock().fileId())) {
      throw new UserError(
          "%s was encrypted with another key than that of ebb.tiers.disk.key-file; name its key, or remove the file"
              .formatted(member.quoted()));
    }
  }

  void close() {
    members.forEach(each -> each.file.close());
  }
}
