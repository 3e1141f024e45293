//! Which variable each row takes: a rotation through the members of a set.

/// Rows `0..rows` take the members of a set in turn. Row p is that of the variable at place p, and
/// the members are the places `0..split` and `split + jump..members + jump`. Row p takes member
/// number (p + shift) mod members, or none where that is the row's own variable.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rotation {
    rows: usize,
    members: usize,
    split: usize,
    jump: usize,
    shift: usize,
}

impl Rotation {
    /// Through the first `members` of `rows` places, by `shift` or up to two more.
    pub(super) fn new(rows: usize, members: usize, shift: usize) -> Self {
        Self { rows, members, split: members, jump: 0, shift }.shifted()
    }

    /// As [`new`](Self::new), but the places leave out `jump` of them after `split`.
    pub(super) fn with_jump(self, split: usize, jump: usize) -> Self {
        Self { split, jump, ..self }.shifted()
    }

    /// The least shift from here on with which no row meets its own variable: it must be none of
    /// two numbers modulo `members`, so for three members or more one of three shifts will do.
    fn shifted(self) -> Self {
        let by = |more| Self { shift: self.shift + more, ..self };
        (0..=2).map(by).find(|rotation| !rotation.misses()).unwrap_or(self)
    }

    /// The place of the variable that a row takes.
    pub(super) fn pick(&self, row: usize) -> Option<usize> {
        let place = self.place((row + self.shift).checked_rem(self.members)?);
        (place != row).then_some(place)
    }

    /// The rows that take the variable at this place.
    pub(super) fn rows_of(&self, place: usize) -> impl Iterator<Item = usize> + use<> {
        let (rows, members) = (self.rows, self.members);
        let first = self.number(place).map_or(rows, |number| {
            // number − shift mod members, without a number below zero.
            (number + members - self.shift % members) % members
        });
        (first..rows).step_by(members.max(1)).filter(move |row| *row != place)
    }

    /// Whether any row takes the variable at this place.
    pub(super) fn takes(&self, place: usize) -> bool {
        self.rows_of(place).next().is_some()
    }

    /// Whether some row takes none.
    pub(super) fn misses(&self) -> bool {
        if self.members == 0 {
            return self.rows > 0;
        }
        let own_before = self.split > 0 && self.shift.is_multiple_of(self.members);
        let own_behind =
            self.members > self.split && (self.jump + self.shift).is_multiple_of(self.members);
        own_before || own_behind
    }

    /// How many members some row takes.
    pub(super) fn taken(&self) -> usize {
        if self.members < 3 {
            return (0..self.members).filter(|&number| self.takes(self.place(number))).count();
        }
        // No row misses, and there are at least as many rows as members.
        self.members
    }

    fn place(&self, number: usize) -> usize {
        if number < self.split { number } else { number + self.jump }
    }

    fn number(&self, place: usize) -> Option<usize> {
        let number = match place.checked_sub(self.split) {
            None => place,
            Some(behind) => self.split + behind.checked_sub(self.jump)?,
        };
        (number < self.members).then_some(number)
    }
}
