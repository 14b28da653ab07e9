//! Random operations on related address spaces, compared with a model that copies everything.

use crate::support::{World, file, run};
use renga_hal::memory::Access;
use renga_memory::layout::PAGE;
use renga_memory::{Backing, MapAddress, Mapping, Space};

/// The window of pages that the operations touch, over the border between two tables.
const FIRST: u64 = 0x1f_0000;
const PAGES: usize = 40;
const FILE_BYTES: usize = 9 * 4096 + 77;
const STEPS: usize = 6_000;
const SPACES_MAX: usize = 4;

/// A page of the model: what one may do with it, and one byte near its start.
type Page = Option<(Access, u8)>;

struct Random(u64);
impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % bound
    }
    fn access(&mut self) -> Access {
        [Access::None, Access::Read, Access::ReadWrite, Access::ReadWriteExecute, Access::ReadExecute]
            [self.below(5) as usize]
    }
}

fn address(page: usize) -> u64 {
    FIRST + page as u64 * PAGE
}

fn file_byte(page: usize) -> u8 {
    if page * 4096 + 5 < FILE_BYTES { (page as u8) | 0x80 } else { 0 }
}

/// One operation on `space` and on the model.
async fn step(world: &mut World, random: &mut Random, space: &mut Space, model: &mut [Page; PAGES]) {
    let first = random.below(PAGES as u64) as usize;
    let count = 1 + random.below((PAGES - first).min(9) as u64) as usize;
    let (range, length) = (first..first + count, count as u64 * PAGE);
    match random.below(8) {
        0 => {
            let (access, place) = (random.access(), MapAddress::Fixed(address(first)));
            let mapping = Mapping { place, length, access, backing: Backing::Zero };
            world.pager().map(space, mapping).await.unwrap();
            model[range].fill(Some((access, 0)));
        }
        1 => {
            let (access, place, skip) = (random.access(), MapAddress::Fixed(address(first)), random.below(8) as usize);
            let backing = Backing::File { file: file(0), offset: skip as u64 * PAGE };
            world.pager().map(space, Mapping { place, length, access, backing }).await.unwrap();
            for (index, page) in model[range].iter_mut().enumerate() {
                *page = Some((access, file_byte(skip + index)));
            }
        }
        2 => {
            world.pager().unmap(space, address(first), length).await.unwrap();
            model[range].fill(None);
        }
        3 => {
            let access = random.access();
            let done = world.pager().protect(space, address(first), length, access).await;
            assert_eq!(done.is_ok(), model[range.clone()].iter().all(Option::is_some));
            if done.is_ok() {
                model[range].iter_mut().flatten().for_each(|page| page.0 = access);
            }
        }
        _ => {
            let byte = random.below(256) as u8;
            let done = world.pager().copy_out(space, address(first) + 5, &[byte]).await;
            assert_eq!(done.is_ok(), model[first].is_some_and(|page| page.0.writable()));
            if done.is_ok() {
                model[first] = Some((Access::ReadWrite, byte));
            }
        }
    }
}

async fn compare(world: &mut World, space: &mut Space, model: &[Page; PAGES]) {
    for (index, page) in model.iter().enumerate() {
        let mut byte = [0];
        let read = world.pager().copy_in(space, address(index) + 5, &mut byte).await;
        let expected = page.filter(|page| page.0.readable()).map(|page| page.1);
        assert_eq!(read.ok().map(|()| byte[0]), expected, "page {index}");
    }
}

fn walk(seed: u64, frames: u32, cached: usize) {
    let mut content = vec![0; FILE_BYTES];
    for page in (0..10).filter(|page| page * 4096 + 5 < FILE_BYTES) {
        content[page * 4096 + 5] = file_byte(page);
    }
    run(frames, cached, vec![content], move |mut world: World| async move {
        let mut random = Random(seed);
        let first = world.pager().create_space().await.unwrap();
        let mut spaces = vec![(first, [None; PAGES])];
        for _ in 0..STEPS {
            let (count, choice) = (spaces.len(), random.below(40));
            let index = random.below(count as u64) as usize;
            let (space, model) = &mut spaces[index];
            match choice {
                0 if count < SPACES_MAX => {
                    let child = crate::support::fork(space, &mut world.pager()).await.unwrap();
                    let model = *model;
                    spaces.push((child, model));
                }
                1 if count > 1 => world.pager().destroy_space(spaces.swap_remove(index).0).await,
                2 => compare(&mut world, space, model).await,
                _ => step(&mut world, &mut random, space, model).await,
            }
        }
        for (mut space, model) in spaces {
            compare(&mut world, &mut space, &model).await;
            world.pager().destroy_space(space).await;
        }
        world
    });
}

#[test]
fn space_model_fork_behaves_as_copy() {
    for seed in 1..=8 {
        walk(0x9e37_79b9_7f4a_7c15u64.wrapping_mul(seed), 1024, 64);
    }
}

#[test]
fn space_model_with_tiny_cache_behaves_as_copy() {
    for seed in 9..=12 {
        walk(0x9e37_79b9_7f4a_7c15u64.wrapping_mul(seed), 260, 8);
    }
}
