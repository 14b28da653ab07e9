# What: threads that share a variable under a lock, a queue, and a semaphore
# Package: perl
# Expect: sum 4000
perl -Mthreads -Mthreads::shared -MThread::Queue -e '
  my $n :shared = 0;
  my @t = map { threads->create(sub { for (1 .. 1000) { lock($n); $n++ } $_[0] ** 2 }, $_) } 1 .. 4;
  print join(" ", map { $_->join } @t), "\nsum $n\n";
  my $q = Thread::Queue->new;
  my $r = threads->create(sub { my $s = 0; while (defined(my $i = $q->dequeue)) { $s += $i } $s });
  $q->enqueue($_) for 1 .. 100; $q->end;
  print "queue ", $r->join, "\n";'
